// The health report as one HTML page without scripts and without external files.
import type { MetricValue } from '../core/schemas/harness.ts';
import { healthChart } from './charts/health.ts';
import {
  findingsOf,
  type HealthPage,
  intervalText,
  measuredByLayer,
  outcomeCell,
  outcomeText,
  rangeText,
  unevaluated,
  unmeasured,
} from './health-model.ts';
import { NONE } from '../core/number-text.ts';
import { measured } from './numbers.ts';
import { htmlPage, rows, section } from './page.ts';
import type { HealthSeries } from './report-model.ts';
import { escapeText as esc } from './html.ts';

export function renderHealthHtml(page: HealthPage): string {
  const last = page.reports.at(-1);
  if (last === undefined) throw new RangeError('a health page needs a report');
  const { report } = last;
  const series = seriesOf(page);
  const body = [
    header(page),
    section('Findings', findings(page)),
    ...measuredByLayer(report).map(({ layer, values }) =>
      section(
        `${layer[0]?.toUpperCase()}${layer.slice(1)} layer`,
        `<p class="note">${esc(layer === 'behavior' || layer === 'signal' ? outcomeText(report) : '')}</p>`,
        valueRows(values, page),
        charts(values, series, page),
      ),
    ),
    section('Not measurable', reasonRows(unmeasured(report))),
    section('Rules that could not be evaluated', reasonRows(unevaluated(report))),
  ];
  return htmlPage(`${page.title}: health`, body);
}

function header({ title, source, notes, reports }: HealthPage): string {
  const last = reports.at(-1);
  const tile = (label: string, value: string): string =>
    `<div class="tile"><span>${esc(label)}</span><strong>${esc(value)}</strong></div>`;
  const fired = last === undefined ? [] : findingsOf(last.report);
  return `<header><h1>${esc(title)}</h1>
<div class="tiles">
${tile('first finding', fired[0]?.finding.rule ?? 'none')}
${tile('rivals', String(Math.max(0, fired.length - 1)))}
${tile('trajectories', String(last?.report.trajectories ?? 0))}
${tile('newest reading', last?.label ?? NONE)}
</div>
<p class="note">${esc(source)}</p>
${notes.map((note) => `<p class="note">${esc(note)}</p>`).join('\n')}</header>`;
}

function findings({ reports }: HealthPage): string {
  const last = reports.at(-1);
  const all = last === undefined ? [] : findingsOf(last.report);
  if (all.length === 0)
    return '<p>No findings: no rule fired among those that could be evaluated.</p>';
  return rows(
    ['finding', 'severity', 'what it means', 'metrics'],
    all.map(({ finding, metrics, whyLater }) => [
      `<strong>${esc(finding.rule)}</strong>`,
      `<span class="${esc(finding.severity)}">${esc(finding.severity)}</span>`,
      `${esc(finding.meaning)}${whyLater === null ? '' : `<small>${esc(whyLater)}</small>`}`,
      metrics
        .map((value) => `${esc(value.name)} ${esc(measured(value.value))}${examplesOf(value)}`)
        .join('<br>'),
    ]),
  );
}

const examplesOf = ({ examples }: MetricValue): string =>
  examples.length === 0 ? '' : `<code> ${esc(examples.join(', '))}</code>`;

const valueRows = (
  values: readonly MetricValue[],
  { descriptions, reports }: HealthPage,
): string => {
  const first = reports.length > 1 ? reports[0] : undefined;
  return rows(
    [
      'metric',
      'value',
      'interval',
      'n',
      'healthy',
      ...(first ? [first.label] : []),
      'right',
      'wrong',
      'examples',
    ],
    values.map((value) => [
      `<strong>${esc(value.name)}</strong><small>${esc(descriptions[value.name] ?? '')}</small>`,
      `<span class="${esc(value.severity ?? '')}">${esc(measured(value.value))}</span> ${esc(value.unit)}`,
      esc(intervalText(value)),
      value.n === null ? NONE : String(value.n),
      esc(rangeText(value.healthy)),
      ...(first
        ? [
            esc(
              measured(first.report.values.find(({ name }) => name === value.name)?.value ?? null),
            ),
          ]
        : []),
      esc(outcomeCell(value.groups?.right)),
      esc(outcomeCell(value.groups?.wrong)),
      `<code>${esc(value.examples.join(', '))}</code>`,
    ]),
  );
};

const reasonRows = (reasons: readonly (readonly [string, readonly string[]])[]): string =>
  reasons.length === 0
    ? ''
    : rows(
        ['reason', 'names'],
        reasons.map(([why, names]) => [
          esc(why),
          names.map((name) => `<code>${esc(name)}</code>`).join(', '),
        ]),
      );

/** One chart per metric, if there were several readings: w1, w2 … for windows of a log, g1, g2 … for generations. */
function charts(
  values: readonly MetricValue[],
  series: ReadonlyMap<string, HealthSeries>,
  { reports }: HealthPage,
): string {
  if (reports.length < 2) return '';
  const mark = reports[0]?.label.startsWith('generation') ? 'g' : 'w';
  const cards = values.flatMap(({ name, severity }) => {
    const one = series.get(name);
    return one === undefined
      ? []
      : [
          `<div class="card ${esc(severity ?? '')}"><h3>${esc(name)}</h3>${healthChart(one, mark)}</div>`,
        ];
  });
  return `<div class="cards">${cards.join('\n')}</div>`;
}

function seriesOf({ reports }: HealthPage): ReadonlyMap<string, HealthSeries> {
  const series = new Map<string, HealthSeries>();
  for (const { report } of reports) {
    for (const value of report.values) {
      const { name, layer, unit, healthy } = value;
      const known = series.get(name) ?? { name, layer, unit, healthy, points: [] };
      const point = { generation: report.generation, value, source: { entry: 0, object: null } };
      series.set(name, { ...known, points: [...known.points, point] });
    }
  }
  return series;
}
