# A chip with a FIFO and an interrupt: captured through it, although a trigger is set. Then the same chip without its interrupt.
load_triggers
fifo_chip fifo
gaitway devices --json
part fifo
trigger=/sys/bus/iio/devices/iio:device0/trigger/current_trigger
echo bma255-dev0 > $trigger
gaitway run --source iio --model /model --duration 100 --json --stats
echo "exit code $?; trigger afterwards: $(cat $trigger)"
part without-interrupts
driver=/sys/bus/i2c/drivers/bmc150_accel_i2c
for chip in $driver/*-0018; do echo "${chip##*/}" > $driver/unbind; done
rmmod fifo_chip
fifo_chip fifo wired=0
gaitway run --source iio --model /model --duration 15 --json --stats
echo "exit code $?"
