# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cli/netem_args.bats - mirrors src/conf/netem_args.c, check.c and dist_file.c
load ../lib/tool

# wrong MESSAGE WORD...: refused with 1, nothing printed, exactly this line
wrong() {
	local want=$1
	shift
	run_tool 1 check netem "$@"
	[ -z "$output" ]
	if [ "$stderr" != "farwire: $want" ]; then
		printf ' got: %s\nwant: farwire: %s\n' "$stderr" "$want" >&2
		return 1
	fi
}

# good TEXT WORD...: accepted, and check prints `netem limit 1000 TEXT`
good() {
	local want=$1
	shift
	run_tool 0 -q check netem "$@"
	if [ "$output" != "netem $want" ]; then
		printf ' got: %s\nwant: netem %s\n' "$output" "$want" >&2
		return 1
	fi
}

@test "a bare time is refused wherever a time stands, and the readings are named" {
	wrong "netem delay '100': a time needs a unit (tc reads ns, before 2024 us); write 100ms, 100us or 100ns" delay 100
	wrong "netem delay '5': a time needs a unit (tc reads ns, before 2024 us); write 5ms, 5us or 5ns" delay 10ms 5
	wrong "netem slot '10': a time needs a unit (tc reads ns, before 2024 us); write 10ms, 10us or 10ns" slot 10 200 packets 2000 bytes 9000
	wrong "netem slot '7': a time needs a unit (tc reads ns, before 2024 us); write 7ms, 7us or 7ns" slot distribution normal 1ms 7
	good "limit 1000 slot 10ns 200ns packets 2000 bytes 9000" slot 10ns 200ns packets 2000 bytes 9000
	good "limit 1000" delay 0
}

@test "gap needs reorder, reorder needs a delay, both messages say so" {
	wrong "netem gap: needs a reorder probability; add reorder 100%" gap 5 delay 10ms
	good "limit 1000 delay 10ms reorder 100% gap 5" delay 10ms reorder 100% gap 5
	wrong "netem reorder: without a delay nothing waits that could be overtaken; add delay TIME" reorder 25%
	wrong "netem reorder: without a delay nothing waits that could be overtaken; add delay TIME" reorder 0.02 duplicate 0.05 corrupt 0.01
	good "limit 1000" reorder 0%
	good "limit 1000 delay 10ms reorder 25% gap 1" reorder 25% delay 10ms
}

@test "zero percent is accepted everywhere; a second loss only after a zero one" {
	good "limit 1000" loss 0% duplicate 0% corrupt 0%
	good "limit 1000 loss 2%" loss 0% loss 2%
	wrong "netem loss: given twice; one model of loss at a time" loss 1% loss 2%
	wrong "netem loss: given twice; one model of loss at a time" loss state 0% loss 2%
	wrong "netem loss: given twice; one model of loss at a time" loss gemodel 1% drop 2%
}

@test "slot: packets stand before bytes, distribution is written in full" {
	wrong "netem: 'packets': stands only behind slot; write slot TIME [TIME] [packets N] [bytes N], in this order" delay 200us slot 800us 10ms bytes 64k packets 42 limit 512
	wrong "netem slot 'dist': neither a time nor the word distribution; write slot 5ms 10ms or slot distribution NAME 5ms 1ms" slot dist normal 800us 100us
	good "limit 1000 slot 800us 10ms packets 42 bytes 65536" slot 800us 10ms packets 42 bytes 64k
	good "limit 1000 slot 1ms 1ms packets 5 bytes 9" sl 1ms p 5 b 9
	good "limit 1000 slot distribution 800us 100us" slot distribution normal 800us 100us
	wrong "netem slot: the second time is below the first; write the smaller one first" slot 5ms 1ms
	wrong "netem slot: a distribution needs a jitter above 0; write slot MIN MAX for none" slot distribution normal 1ms 0
	wrong "netem slot '-5': not within 0 and 2147483647" slot 1ms packets -5
	wrong "netem slot '3g': not within 0 and 2147483647" slot 1ms bytes 3g
}

@test "uniform is a distribution; the built-in ones need no file" {
	local d

	for d in uniform normal pareto paretonormal; do
		TC_LIB_DIR=/nonexistent good "limit 1000 delay 10ms  5ms" delay 10ms 5ms distribution "$d"
	done
	wrong "netem distribution: needs a delay and a jitter above 0; write delay TIME JITTER before it" distribution normal
	wrong "netem distribution: needs a delay and a jitter above 0; write delay TIME JITTER before it" delay 0ms 10ms distribution uniform
	wrong "netem distribution 'norml': no such table; write normal, pareto, paretonormal, uniform, ./FILE for a file, or set TC_LIB_DIR to where the .dist file is" delay 10ms 5ms distribution norml
}

@test "tables from files: found by path or TC_LIB_DIR, refused with file and line" {
	local d=$BATS_TEST_TMPDIR

	cd "$d"
	printf '# a table\n-8192 0\n\n 0x10 010 8192\n' >own.dist
	good "limit 1000 delay 10ms  5ms" delay 10ms 5ms distribution ./own.dist
	wrong "netem distribution './own': cannot be opened: No such file or directory" delay 10ms 5ms distribution ./own
	TC_LIB_DIR=$d good "limit 1000 delay 10ms  5ms" delay 10ms 5ms distribution own
	printf '1 2\n3 x4 5\n' >garbage
	wrong "netem distribution './garbage': line 2: 'x4': not a whole number from -32768 to 32767" delay 10ms 5ms distribution ./garbage
	printf '1\n32768\n' >large
	wrong "netem distribution './large': line 2: '32768': not a whole number from -32768 to 32767" delay 10ms 5ms distribution ./large
	printf '# nothing\n\n' >empty
	wrong "netem distribution './empty': no number in this file" delay 10ms 5ms distribution ./empty
	seq 16384 | sed 's/.*/1/' >most
	good "limit 1000 delay 10ms  5ms" delay 10ms 5ms distribution ./most
	echo 1 >>most
	wrong "netem distribution './most': line 16385: more than 16384 numbers" delay 10ms 5ms distribution ./most
	wrong "netem distribution '/dev/zero': line 1: '???????????????????????????????': not a whole number from -32768 to 32767" delay 10ms 5ms distribution /dev/zero
	wrong "netem distribution './': cannot be read: Is a directory" delay 10ms 5ms distribution ./
	printf '1 2\r\n3' >crlf
	good "limit 1000 slot distribution 1ms 1us" slot distribution ./crlf 1ms 1us
}

@test "loss: percent is percent, and fractions that look like shares are warned of" {
	run_tool 0 check netem loss gemodel 0.1 0.05 0.9 0.95
	[ "$output" = "netem limit 1000 loss gemodel p 0.1% r 0.05% 1-h 0.9% 1-k 0.95%" ]
	[ "$stderr" = "farwire: warning: all values of loss gemodel are below 1%: numbers are percent, so 0.1 is 0.1% and not one in ten" ]
	good "limit 1000 loss 0.01%" loss 0.01%
	good "limit 1000 loss 0.00100001%" loss 0.00100
	good "limit 1000 loss 0.1%" loss .1%
	wrong "netem loss '-1%': neither a percentage nor a model; write 5%, random, state or gemodel" loss -1%
	wrong "netem loss 'xyz': neither a percentage nor a model; write 5%, random, state or gemodel" loss xyz 5%
	wrong "netem loss '101%': not within 0% and 100%" loss 5% 101%
	wrong "netem: '%': a value without an option; write an option word such as delay or loss before it" loss 5 %
	wrong "netem loss state: p13 and p14 both leave state 1, and are above 100% together" loss state 60% 40% 10% 50% 60%
	wrong "netem loss state: p31 and p32 both leave state 3, and are above 100% together" loss state 1% 60% 50%
	wrong "netem loss state: p13 and p14 both leave state 1, and are above 100% together" loss state 50.001% 50% 50% 100% 50%
	good "limit 1000 loss state p13 50% p31 50% p32 50% p23 100% p14 50%" loss state 50% 50% 50% 100% 50%
	wrong "netem ecn: marks the frames that loss chooses, and there is no loss; add loss PERCENT" ecn
}

@test "a value that is missing is named with what may follow" {
	wrong "netem loss: a value is missing; write loss [random] PERCENT [CORRELATION] | state P13 [P31 [P32 [P23 [P14]]]] | gemodel P [R [1-H [1-K]]]" delay 14.844ms loss
	wrong "netem delay: a value is missing; write delay TIME [JITTER [CORRELATION]]" delay
	run_tool 125 run dev lo netem delay -- touch "$BATS_TEST_TMPDIR/ran"
	[ "$stderr" = "farwire: netem delay: a value is missing before --; write delay TIME [JITTER [CORRELATION]]" ]
	refute test -e "$BATS_TEST_TMPDIR/ran"
}

@test "bits and bytes" {
	good "limit 1000 rate 80Mbit" rate 10Mbps
	good "limit 1000 rate 10Mbit" rate 10Mbit
	good "limit 1000 rate 40Kbit" rate 5KBps
	wrong "netem rate '1000k': no such unit of rate 'k'; write bit, kbit, mbit, gbit, or kbps, mbps for bytes" delay 250ms rate 1000k
	wrong "netem rate '10%': a share of a device's speed, which this link does not have; write the rate itself, such as 10mbit" rate 10%
	wrong "netem rate '1bit': below 8 bit/s, which tc makes 0, no rate at all; write 8bit or 0" rate 1bit
	wrong "netem rate '-1mbit': a rate cannot be negative" rate -1mbit
	good "limit 1000" rate 0
	good "limit 1000 rate 1Mbit packetoverhead 20 celloverhead -5" rate 1mbit 20 -5
	good "limit 1000 rate 5Kbit packetoverhead 20 cellsize 100 celloverhead 5" rate 5kbit 20 100 5
}

@test "numbers as wrappers write them" {
	good "limit 1000" limit 1000.000000
	good "limit 1000 loss 1%" loss 1.00000
	good "limit 1000 loss 80%" loss 80.00
	good "limit 1000 delay 200ms  50ms 25.5%" delay 200ms 50ms 25.50
	good "limit 10240" limit 10k
	good "limit 1000 loss 100%" loss 1e2%
	wrong "netem limit '-1': cannot be negative" limit -1
	wrong "netem limit '4294967296': above 4294967295" limit 4294967296
	wrong "netem limit 'nan': not a number" limit nan
	wrong "netem delay 'inf': not a number" delay inf
	wrong "netem delay '0x1.8ms': a hexadecimal number must be whole; write it in decimal" delay 0x1.8ms
}

@test "a word that is no option is quoted, in few lines" {
	wrong "netem: '10ms': a value without an option; write an option word such as delay or loss before it" 10ms
	wrong "netem: 'delay=5ms': no such option; see farwire help netem" delay=5ms
	wrong "netem: '-1ms': a value without an option; write an option word such as delay or loss before it" delay 10ms -1ms
	wrong "netem: '3': a value without an option; write an option word such as delay or loss before it" delay 10ms 5ms 50% 3
	wrong "netem delay '10%': no such unit of time '%'; write s, ms, us or ns" delay 10ms 10%
	wrong "netem: 'helpme': no such option; see farwire help netem" helpme
}

@test "edges of seed, delay and jitter" {
	good "limit 1000 seed 18446744073709551615" seed -1
	good "limit 1000 seed 0" seed 0
	wrong "netem seed '0x10': not a whole decimal number" seed 0x10
	wrong "netem seed '18446744073709551616': not within 0 and 18446744073709551615" seed 18446744073709551616
	good "limit 1000 delay 5e+03s" delay 5000s
	good "limit 1000 delay 9.22e+09s" delay 9223372036s
	wrong "netem delay '9223372037s': above 2^63-1 ns, 292 years" delay 9223372037s
	wrong "netem delay '-5ms': a time cannot be negative" delay -5ms
	good "limit 1000 delay 3s  2.15s" delay 3s 2147483647ns
	wrong "netem delay: jitter above 2147483647 ns, which the kernel would cut; write 2147ms or less" delay 3s 2147483648ns
	wrong "netem slot: jitter above 2147483647 ns, which the kernel would cut; write 2147ms or less" slot distribution normal 1ms 3s
}

@test "keywords may be shortened and mean the first in tc's order" {
	good "limit 7" l 7
	good "limit 1000 delay 20ms" la 20ms
	good "limit 1000 delay 20ms" d 20ms
	good "limit 1000 loss 5%" lo 5%
	good "limit 1000 loss 5%" dr 5%
	good "limit 1000 duplicate 5%" du 5%
	good "limit 1000 seed 3" s 3
	good "limit 1000 loss 5% ecn " lo 5% e
	good "limit 1000 delay 1ms reorder 5% gap 3" d 1ms r 5% g 3
	good "limit 1000 corrupt 5%" c 5%
	good "limit 1000 rate 1Mbit" ra 1mbit
	good "limit 1000 delay 2ms  1ms" d 2ms 1ms di normal
	wrong "netem: '': no such option; see farwire help netem" ""
}

@test "a word given again overwrites what it names" {
	good "limit 5" limit 4 limit 5
	good "limit 1000 delay 20ms  5ms" delay 10ms 5ms delay 20ms
	good "limit 1000 rate 2Mbit packetoverhead 20" rate 1mbit 20 rate 2mbit
}

@test "warnings carry their figures" {
	warns() {
		run_tool 0 check netem "${@:2}"
		[ "$stderr" = "farwire: warning: $1" ] || { printf '%s\n' "$stderr" >&2; return 1; }
	}
	warns "limit 1000 is below rate x delay: 1Gbit x 100ms needs limit 8257 for frames of 1514 bytes, 195313 for 64" rate 1gbit delay 100ms
	warns "jitter 75ms is above delay 50ms: 17% of the frames would have a delay below 0 and leave at once" delay 50ms 75ms
	warns "jitter 150ms is above delay 100ms: 25% of the frames would have a delay below 0 and leave at once" delay 100ms 150ms distribution normal
	warns "the correlation of duplicate has no effect: tc sends it only beside one of delay, loss, reorder or corrupt, and so do we" duplicate 1% 25%
	warns "corrupt 20% with correlation 25% corrupts about 10% in netem's arithmetic" corrupt 20% 25%
	warns "reorder 25% with correlation 50% sends at once about 6.9% in netem's arithmetic" delay 10ms reorder 25% 50%
	warns "loss 0.1% with correlation 90% loses less than 0.0001% in netem's arithmetic; for bursts use loss gemodel" loss 0.1% 90%
	warns "loss 5% with correlation 100%: all frames have the fate of the first" loss 5% 100%
}

@test "tc's ./normal is a file here" {
	cd "$BATS_TEST_TMPDIR"
	wrong "netem distribution './normal': cannot be opened: No such file or directory" delay 10ms 5ms distribution ./normal
}
