# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cli/maketable.bats - mirrors contrib/maketable.c
load ../lib/tool

setup() {
	maketable=$FW_BUILD/contrib/maketable
	cd "$BATS_TEST_TMPDIR" || return
}

# N numbers of mean 100 and deviation 10, nearly normal: sums of 12 from a generator that
# is the same everywhere.
numbers() {
	awk -v n="$1" 'BEGIN {
		x = 12345
		for (i = 0; i < n; i++) {
			s = -6
			for (k = 0; k < 12; k++) {
				x = (x * 16807) % 2147483647
				s += x / 2147483647
			}
			printf "%.6f\n", 100 + 10 * s
		}
	}'
}

@test "the three statistics" {
	run "$maketable" -s < <(echo 1 2 3 4 5)
	assert_success
	[ "$output" = "mu =        3.000000
sigma =     1.581139
rho =       0.666667" ]
}

@test "a table has 4096 rising numbers of mean 0 and deviation 8192, and check reads it" {
	numbers 20000 >x
	"$maketable" x >t
	run grep -c '^#' t
	[ "$output" = 3 ]
	grep -v '^#' t | tr ' ' '\n' | sed '/^$/d' >values
	[ "$(wc -l <values)" -eq 4096 ]
	sort -nc values
	# Their mean and deviation, and the quartiles of the normal distribution: 0.6745.
	run awk '{s += $1; q += $1 * $1; v[NR] = $1}
		END {m = s / NR; d = sqrt(q / NR - m * m)
		exit !(m > -60 && m < 60 && d > 8050 && d < 8330 &&
			v[1024] > -5726 && v[1024] < -5326 && v[3072] > 5326 && v[3072] < 5726)}' values
	assert_success
	run_tool 0 check netem delay 100ms 10ms distribution ./t
}

@test "few numbers are interpolated, far ones are cut to the ends" {
	printf '%s\n' 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100 | "$maketable" >t
	grep -v '^#' t | tr ' ' '\n' | sed '/^$/d' >values
	[ "$(wc -l <values)" -eq 4096 ]
	sort -nc values
	[ "$(tail -n 1 values)" -eq 32767 ]
	# 19 of 20 are at -0.2236 deviations (-1832), and the ends are straight lines.
	[ "$(head -n 1 values)" -ge -32768 ]
	run grep -c -- '-183[0-9]' values
	[ "$output" -ge 1 ]
	run_tool 0 check netem delay 5ms 1ms distribution ./t
}

@test "what is no sample is refused" {
	run "$maketable" < <(echo 1 2 x)
	assert_failure 1
	assert_output "maketable: x: not a number"
	run "$maketable" < <(echo 1 nan)
	assert_failure 1
	run "$maketable" < <(echo 5)
	assert_output "maketable: input: fewer than two numbers"
	run "$maketable" < <(echo 5 5 5)
	assert_output "maketable: input: all numbers are the same, or too large"
	run "$maketable" nosuch
	assert_output "maketable: nosuch: No such file or directory"
	run "$maketable" -x
	assert_failure 1
}
