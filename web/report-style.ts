// The style sheet of the reports, for light and dark mode.
import { readFileSync } from 'node:fs';

export const reportStyle = readFileSync(new URL('assets/report.css', import.meta.url), 'utf8');
