# Ten minutes of a recording through an mxc4005 and an hrtimer trigger that gaitway makes itself.
load_triggers
bus 0x15
bind mxc4005 0x15 0x0e=0x02
gaitway devices --json
registers 0 0x15 play /replay.csv be16:4 0x03 &
gaitway run --source iio:mxc4005 --model /model --duration 600 --json --stats
echo "exit code $?"
