# The loop is stopped for longer than the kernel's buffer holds: the newest samples are dropped without an error.
load_triggers
bus 0x15
bind mxc4005 0x15 0x0e=0x02
gaitway devices --json
registers 0 0x15 play /replay.csv be16:4 0x03 &
gaitway run --source iio --model /model --json --stats & loop=$!
sleep 8
kill -STOP $loop
sleep 10
part overrun
kill -CONT $loop
sleep 10
kill -TERM $loop
wait $loop
echo "exit code $?"
