# The loop is stopped for longer than the kernel's buffer holds: the newest samples are dropped without an error.
playing_mxc4005
gaitway devices --json
gaitway run --source iio --model /model --up x --forward y --placement waist --json --stats & loop=$!
sleep 8
kill -STOP $loop
sleep 10
part overrun
kill -CONT $loop
sleep 10
kill -TERM $loop
wait $loop
echo "exit code $?"
