// `export`: rows of the library as a file.
import { defined } from '@playhead/sdk/host'
import type { Command } from '../command.ts'
import { connect, CONNECTION_HELP, CONNECTION_OPTIONS, CONNECTION_USAGE, EXIT } from './connect.ts'
import { createOutput } from './output.ts'
import { saveFile } from './save-file.ts'

export const exportFile: Command = {
  name: 'export',
  summary: 'exports the data of an account to a file',
  usage: `[--provider <id>] [--instance <profile>] [--feature <name>] [--format <name>] [--time-zone <name>] [--out <file>] ${CONNECTION_USAGE}`,
  options: {
    ...CONNECTION_OPTIONS,
    ...{ provider: { type: 'string' }, instance: { type: 'string' }, feature: { type: 'string' } },
    ...{ format: { type: 'string' }, out: { type: 'string' }, 'time-zone': { type: 'string' } },
  },
  usageCode: EXIT.usage,
  help: `
  --provider, --instance   the account: its provider and profile
  --feature                what to export, for example history
  --format                 a format of the service, for example json
  --time-zone              the zone whose days the file has, for example Europe/Berlin
  --out                    a file or folder; "-" for the output
${CONNECTION_HELP}

A token needs the scope "read".

Example:
  npm run playhead -- export --provider SVC --feature history --format json --out history.json --url http://127.0.0.1:8787`,
  async run(cli, given) {
    const client = await connect(cli, given)
    const output = createOutput(cli, given)
    const {
      provider,
      instance,
      feature,
      format,
      out,
      'time-zone': tz,
    } = given.options as Readonly<Record<string, string | undefined>>
    const query = defined({ provider, provider_instance: instance, feature, format, tz })
    const response = await client.open('GET /api/export/file', { query })
    const file = await saveFile(response, { out, fallback: 'export', cli, output })
    if (file === null) return EXIT.done
    output.line(`Saved ${file}`)
    output.json({ ok: true, file })
    return EXIT.done
  },
}
