# A chip with events for movement: the program sees that they come, then sleeps while nothing moves, but not beside a second program that
# wants samples.
fifo_chip still
mkdir -p /state
export STATE_DIRECTORY=/state GAITWAY_SLEEP_MINUTES=0.2
gaitway devices --json
part still
# Of the whole program, and of the chip.
count() {
    # What it waited for: a busy machine takes the processor from it at other times, too.
    echo "switches $1 $(cat /proc/$program/task/*/status | awk '/^voluntary_ctxt/ {sum += $2} END {print sum}')"
    echo "rate $1 $(cat /sys/bus/iio/devices/iio:device*/*sampling_frequency | head -n 1)"
    echo "interrupts $1 $(awk '/bmc150/ {print $2}' /proc/interrupts)"
}
gaitway run --source iio --model /model --duration 116 --json --stats > /tmp/run 2>&1 & program=$!
sleep 120
echo "features beside: $(gaitway features --source iio --duration 5.12 | wc -l)"
sleep 120
count begin
sleep 300
count end
wait $program
echo "exit code $?"
echo "rate after $(cat /sys/bus/iio/devices/iio:device*/*sampling_frequency | head -n 1)"
cat /tmp/run
