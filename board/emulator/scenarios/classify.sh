# Ten minutes of a recording through an mxc4005 and an hrtimer trigger that gaitway makes itself.
playing_mxc4005
gaitway devices --json
gaitway run --source iio:mxc4005 --model /model --duration 600 --json --stats
echo "exit code $?"
