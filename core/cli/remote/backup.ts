// `backup`: makes a backup of a service and downloads it.
import type { Command } from '../command.ts'
import { connect, CONNECTION_HELP, CONNECTION_OPTIONS, CONNECTION_USAGE, EXIT } from './connect.ts'
import { createOutput } from './output.ts'
import { saveFile } from './save-file.ts'
import { defined } from '@playhead/sdk/host'

const MINUTE_MS = 60_000

export const backup: Command = {
  name: 'backup',
  summary: 'creates a backup of a running service and downloads it',
  usage: `[--scope config_only|app_state|full] [--label <text>] [--out <file>] [--keep-there] ${CONNECTION_USAGE}`,
  options: {
    ...CONNECTION_OPTIONS,
    ...{ scope: { type: 'string' }, label: { type: 'string' }, out: { type: 'string' } },
    'keep-there': { type: 'boolean' },
  },
  usageCode: EXIT.usage,
  help: `
  --scope       config_only, app_state (default) or full
  --label       shown in the list of backups
  --out         a file or folder; by default the name of the backup, here
  --keep-there  only makes it; it stays on the service
  PLAYHEAD_BACKUP_PASSPHRASE encrypts it
${CONNECTION_HELP}

A backup holds secrets, so downloading one needs a token with the scope "admin"; "write" is enough for --keep-there.

Example:
  npm run playhead -- backup --out /mnt/backups --url http://127.0.0.1:8787 --token-file token.txt`,
  async run(cli, given) {
    const client = await connect(cli, given)
    const output = createOutput(cli, given)
    const { scope, label, out } = given.options as Readonly<Record<string, string | undefined>>
    const passphrase = cli.variables['PLAYHEAD_BACKUP_PASSPHRASE']
    output.progress('Creating the backup')
    const { backup: made } = await client.call('POST /api/backups/create', {
      body: { ...defined({ scope, label }), ...(passphrase === undefined || passphrase === '' ? {} : { passphrase }) },
      signal: AbortSignal.timeout(60 * MINUTE_MS),
    })
    for (const warning of made.warnings) output.line(`! ${warning}`)
    if (given.options['keep-there'] === true) {
      output.line(`Created ${made.path} on the service (${made.file_count} files).`)
      output.json(made)
      return EXIT.done
    }
    const response = await client.open('GET /api/backups/download', { query: { path: made.path } })
    const file = await saveFile(response, { out, fallback: 'playhead-backup', cli, output })
    output.line(`Saved ${file ?? 'it'} (${made.file_count} files${made.encrypted ? ', encrypted' : ''}).`)
    output.json({ ...made, file })
    return EXIT.done
  },
}
