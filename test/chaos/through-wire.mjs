// Loaded before a worker of a disturbed machine: it reaches its Temporal server by a wire that can be cut, while the
// supervisor and commands go straight.
const wire = process.env['EVO_CHAOS_WIRE'];
if (wire !== undefined && process.env['EVO_SUPERVISED'] === '1') {
  process.env['TEMPORAL_ADDRESS'] = wire;
}
