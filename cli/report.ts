import { renderHtml } from '../web/report-html.ts';
import { renderMarkdown } from '../web/report-markdown.ts';
import { archiveArgs, openArchive } from './archive.ts';
import { evoCommand } from './define-command.ts';
import { EXIT } from './exit.ts';
import { printable } from '../core/printable.ts';
import { loadReport } from './load-report.ts';
import { jsonLine, say } from './terminal/printable.ts';
import { writeOutput } from './write-output.ts';

export const command = evoCommand({
  name: 'report',
  description: 'Print the report of a campaign as Markdown, or write one HTML page with plots.',
  args: {
    ...archiveArgs,
    html: { type: 'boolean', description: 'write one HTML page' },
    sealed: {
      type: 'boolean',
      description: 'with the figures of PROMOTION and CANARY, from the sealed root',
    },
    out: { type: 'string', description: 'write to this file' },
    json: { type: 'boolean', description: "print the report's model as JSON" },
  },
  async run(args) {
    const archive = await openArchive(args);
    try {
      const { model, addresses } = await loadReport(archive, { sealed: args.sealed === true });
      const text = args.json
        ? `${jsonLine(model)}\n`
        : args.html
          ? renderHtml(model, addresses)
          : renderMarkdown(model, addresses);
      const out = args.out ?? (args.html && process.stdout.isTTY ? `${args.campaign}.html` : null);
      if (out === null) process.stdout.write(printable(text));
      else {
        writeOutput(out, text);
        say(out);
      }
      return EXIT.ok;
    } finally {
      await archive.close();
    }
  },
});
