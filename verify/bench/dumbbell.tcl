# Greedy NewReno TCPs of ns-2 through one bottleneck: sources - router - sink.
#
#   ns dumbbell.tcl FLOWS ACCESS ACCESS_DELAY RATE DELAY BUFFER SEGMENT HEADER WINDOW SPREAD DURATION
#
# Rates in bit/s, times in seconds, BUFFER in packets, SEGMENT and HEADER in bytes, WINDOW in segments. The flows start one after the other
# within SPREAD. Prints `delivered SEGMENTS`: what the senders know to have arrived. What is not said here is as ns-2 has it by default.

lassign $argv flows access access_delay rate delay buffer segment header window spread duration

set ns [new Simulator]
set router [$ns node]
set sink [$ns node]
$ns simplex-link $router $sink $rate $delay DropTail
$ns simplex-link $sink $router $rate $delay DropTail
$ns queue-limit $router $sink $buffer
$ns queue-limit $sink $router 1000000

Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ [expr {$segment + $header}]
Agent/TCP set window_ $window
Agent/TCP set tcpTick_ 0.01
for {set n 0} {$n < $flows} {incr n} {
    set source [$ns node]
    $ns simplex-link $source $router $access $access_delay DropTail
    $ns simplex-link $router $source $access $access_delay DropTail
    $ns queue-limit $source $router 1000000
    $ns queue-limit $router $source 1000000
    set tcp($n) [new Agent/TCP/Newreno]
    set receiver [new Agent/TCPSink]
    $ns attach-agent $source $tcp($n)
    $ns attach-agent $sink $receiver
    $ns connect $tcp($n) $receiver
    set application [new Application/FTP]
    $application attach-agent $tcp($n)
    $ns at [expr {$spread * $n / $flows}] "$application start"
}
$ns at $duration {
    set delivered 0
    for {set n 0} {$n < $flows} {incr n} {
        incr delivered [expr {max(0, [$tcp($n) set ack_] + 1)}]
    }
    puts "delivered $delivered"
    exit 0
}
$ns run
