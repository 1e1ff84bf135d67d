import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/** Call once per process, before any connection: failures that a test provokes need no log line. */
export function installQuietRuntime(): void {
  const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter } },
    shutdownSignals: [],
  });
}
