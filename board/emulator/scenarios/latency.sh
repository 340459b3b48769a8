# Ten minutes on a chip with a FIFO, most of it without movement: samples may wait for ten seconds then, and every decision is as it would be.
fifo_chip still
export GAITWAY_SLEEP_MINUTES=0 GAITWAY_LATENCY=10
gaitway devices --json
part latency
gaitway run --source iio --model /model --duration 600 --json --at --stats
echo "exit code $?"
