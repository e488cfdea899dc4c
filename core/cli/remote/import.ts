// `import`: reads a file of a tracker or list service and writes it to an account of a service.
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Body, Client } from '@playhead/sdk/client'
import { CliError, type Command } from '../command.ts'
import { connect, CONNECTION_HELP, CONNECTION_OPTIONS, CONNECTION_USAGE, EXIT } from './connect.ts'
import { count, createOutput, type Output } from './output.ts'
import { defined } from '@playhead/sdk/host'

type Import = Answer<'GET /api/import/{import_id}'>

const POLL_MS = 500
const ENDED = new Set(['planned', 'done', 'failed', 'interrupted', 'cancelled', 'undone', 'partly_undone'])
const POLITE_ENDINGS: Readonly<Record<string, number>> = { planned: EXIT.done, done: EXIT.done }

export const importFile: Command = {
  name: 'import',
  summary: 'imports a file from a tracker or list service into an account',
  usage: `<file> --provider <id> [--instance <profile>] [--format <name>] [--person <name>] [--dry-run] ${CONNECTION_USAGE}`,
  words: ['file'],
  options: {
    ...CONNECTION_OPTIONS,
    ...{ provider: { type: 'string' }, instance: { type: 'string' }, format: { type: 'string' } },
    person: { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
  usageCode: EXIT.usage,
  help: `
  --provider, --instance  the account that the file is written to, for example SVC
  --format                insists on a format; by default it is recognised
  --person                whose history is written, of a file of several people
  --dry-run               only compares, and says what would be written
${CONNECTION_HELP}

Nothing is ever removed, and the same file twice adds nothing. Titles without ids are left out; choose them on the page
Imports. Ctrl+C leaves the import to the service, which finishes it. A token needs the scope "write".

Example:
  npm run playhead -- import history.csv --provider SVC --dry-run --url http://127.0.0.1:8787`,
  async run(cli, given) {
    const client = await connect(cli, given)
    const output = createOutput(cli, given)
    const { provider, instance, format, person } = given.options as Readonly<Record<string, string | undefined>>
    if (provider === undefined) throw new CliError('say which account with --provider, for example --provider SVC')
    const path = resolve(cli.workingDirectory, given.words[0] ?? '')
    const form = new FormData()
    form.set('file', new Blob([await readFile(path)]), basename(path))
    output.progress('Reading the file')
    const preview = (await client.request('POST', '/api/import/preview', { query: { format }, body: form })) as Import
    output.line(
      `${preview.label}: ${count(preview.rows, 'row')}, ${preview.matched} matched, ${preview.ambiguous} without ids, ${preview.unmatched} that cannot be written`,
    )
    if (preview.persons.length > 1 && person === undefined)
      throw new CliError(
        `the file is of several people. Say whose history is written with --person: ${preview.persons.map(({ name }) => JSON.stringify(name)).join(', ')}`,
      )
    const body: Body<'POST /api/import/run'> = {
      import_id: preview.import_id,
      provider,
      ...defined({ provider_instance: instance, person }),
      ...(given.options['dry-run'] === true ? { dry_run: true } : {}),
    }
    const end = await finish(client, await client.call('POST /api/import/run', { body }), output)
    for (const [feature, plan] of Object.entries(end.plan))
      output.line(
        `${feature}: ${Object.entries(plan)
          .map(([what, number]) => `${number} ${what}`)
          .join(', ')}`,
      )
    output.json(end)
    if (end.state === 'planned') output.line('Nothing was written: this was a dry run.')
    else if (end.state !== 'done') output.line(`The import ended as ${end.state}. ${end.run?.message ?? ''}`.trimEnd())
    if (end.state === 'done' && preview.ambiguous + preview.unmatched > 0) return EXIT.partial
    return POLITE_ENDINGS[end.state] ?? EXIT.failed
  },
}

async function finish(client: Client, started: Import, output: Output): Promise<Import> {
  let now = started
  while (!ENDED.has(now.state)) {
    output.progress(now.state === 'comparing' ? 'Comparing with the account' : 'Writing')
    await sleep(POLL_MS)
    now = await client.call('GET /api/import/{import_id}', { params: { import_id: now.import_id } })
  }
  return now
}
