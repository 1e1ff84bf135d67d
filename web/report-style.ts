// The one style sheet of the report; it follows the reader's light or dark.
import { readFileSync } from 'node:fs';

export const reportStyle = readFileSync(new URL('assets/report.css', import.meta.url), 'utf8');
