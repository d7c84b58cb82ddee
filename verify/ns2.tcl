# One TCP connection of ns-2 over one link, with losses by turn: what the agent sends, and when its timer runs out.
#
#   ns ns2.tcl AGENT SINK WINDOW TICK RATE DELAY SEGMENTS SEED SETTINGS LOST...
#
# TICK and DELAY in seconds, RATE in bits per second. SETTINGS are the agent's variables, each followed by its value. LOST are data packets, counted from 0 in the order in which they are
# sent. Prints `phase SECONDS`, how long before the start the agent's clock ticked last, then ns-2's trace of the queue, of
# arrivals and of the agent's events. What is not said here is as ns-2 has it by default.

lassign $argv kind sink window tick rate delay segments seed settings
set lost [lrange $argv 9 end]

set ns [new Simulator]
set events [open /dev/stdout w]
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to $rate $delay DropTail
# So fast that it does not matter how long an ack is: ns-2's grows by 8 bytes for each block that it reports.
$ns simplex-link $to $from 100Gb $delay DropTail
$ns queue-limit $from $to 100000
$ns queue-limit $to $from 100000
$ns trace-queue $from $to $events
$ns eventtrace-all $events

if {[llength $lost]} {
    set losses [new ErrorModel/List]
    $losses droplist $lost
    $losses drop-target [new Agent/Null]
    $ns link-lossmodel $losses $from $to
}

$kind set syn_ false
$kind set delay_growth_ false
# Segment 0 would lack its header, without a SYN: so sizes are set with their headers.
$kind set useHeaders_ false
$kind set packetSize_ 1000
$kind set window_ $window
$kind set tcpTick_ $tick
foreach {variable value} $settings {
    $kind set $variable $value
}
set tcp [new $kind]
set receiver [new $sink]
$ns attach-agent $from $tcp
$ns attach-agent $to $receiver
$ns connect $tcp $receiver

# The only number that the agent draws is the phase of its clock.
$defaultRNG seed $seed
set same [new RNG]
$same seed $seed
puts "phase [format %.15f [$same uniform 0 $tick]]"
flush stdout

$tcp proc done {} {
    global ns events
    $ns flush-trace
    flush $events
    exit 0
}
$ns at 0 "$tcp advance $segments"
$ns at 3000 "puts {the transfer does not end}; exit 1"
$ns run
