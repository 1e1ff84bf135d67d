import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/** Once a process, before any connection: failures that a test provokes are not worth a line. */
export function installQuietRuntime(): void {
  const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter } },
    shutdownSignals: [],
  });
}
