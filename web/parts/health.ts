// The health of the training: findings first, each with its sentence and evidence; the rest folded by layer.
import { healthChart } from '../charts/health.ts';
import {
  findingsOf,
  measuredByLayer,
  outcomeCell,
  outcomeText,
  rangeText,
  unevaluated,
  unmeasured,
} from '../health-model.ts';
import { type Child, html, joined, type Markup } from '../html.ts';
import { measured } from '../numbers.ts';
import { dataTable } from '../page.ts';
import type { HealthSeries, ReportModel } from '../report-model.ts';
import { findingBody, type PartLinks } from './bottleneck.ts';
import { decisionMark, fold, note, partHeading, subHeading } from './marks.ts';

export function healthPart(model: ReportModel, links: PartLinks): Markup | null {
  const newest = model.generations.findLast(({ health }) => health !== null);
  if (!newest?.health) return null;
  const { report } = newest.health;
  const found = findingsOf(report);
  const series = new Map(model.health.map((one) => [one.name, one]));
  return html`${partHeading('health', `Health of generation ${newest.generation}`)}
  ${
    found.length === 0
      ? html`<p>No findings: no rule fired among those that could be evaluated.</p>`
      : found.map(
          (one) =>
            html`<div class="finding">
              ${subHeading(`finding-${one.finding.rule}`, [
                one.finding.rule,
                ' ',
                decisionMark(one.finding.severity),
              ])}
              ${findingBody(one, links)}
              ${charts(one.metrics.flatMap(({ name }) => series.get(name) ?? []))}
            </div> `,
        )
  }
  ${note(outcomeText(report))}
  ${measuredByLayer(report).map(({ layer, values }) =>
    fold(
      `${layer} layer: ${values.length} metrics`,
      dataTable({
        heads: ['metric', 'value', 'healthy', 'right', 'wrong', 'over the generations'],
        rows: values.map((value) => [
          value.name,
          [html`<b class="${value.severity}">${measured(value.value)}</b>`, ` ${value.unit}`],
          rangeText(value.healthy),
          outcomeCell(value.groups?.right),
          outcomeCell(value.groups?.wrong),
          overTime(series.get(value.name)),
        ]),
      }),
    ),
  )}
  ${reasons('Not measurable', unmeasured(report))}
  ${reasons('Rules that could not be evaluated', unevaluated(report))}`;
}

/** Metrics of one reading have no path. */
function charts(all: readonly HealthSeries[]): Child {
  const drawn = all.filter(({ points }) => points.length > 1);
  if (drawn.length === 0) return null;
  return html`<div class="cards">
    ${drawn.map(
      (one) =>
        html`<figure class="card">
          <figcaption>${one.name}</figcaption>
          ${healthChart({ ...one, points: one.points.slice(-POINTS_SHOWN) })}
        </figure>`,
    )}
  </div>`;
}

/** As many generations as a small picture can show. */
const POINTS_SHOWN = 40;

const overTime = (series: HealthSeries | undefined): string =>
  (series?.points ?? [])
    .slice(-6)
    .map(({ generation, value }) => `g${generation} ${measured(value.value)}`)
    .join(', ');

const reasons = (title: string, all: readonly (readonly [string, readonly string[]])[]): Child =>
  all.length > 0 &&
  fold(
    title,
    dataTable({
      heads: ['reason', 'names'],
      rows: all.map(([why, names]) => [
        why,
        joined(
          names.map((name) => html`<code>${name}</code>`),
          ', ',
        ),
      ]),
    }),
  );
