// `token create|list|revoke`: API tokens, through a running service or in the data directory of a stopped one.
import type { TokenScope } from '@playhead/sdk'
import { isPlayheadError, PlayheadError, TOKEN_SCOPES } from '@playhead/sdk'
import { systemClock } from '../clock.ts'
import { CliError, type Arguments, type Cli, type Command } from './command.ts'
import { connect, CONNECTION_OPTIONS, EXIT } from './remote/connect.ts'
import { createOutput, table, when } from './remote/output.ts'

interface Shown {
  readonly id: string
  readonly name: string
  readonly scope: string
  readonly expires_at: number | null
  readonly last_used_at: number | null
}

/** Access to the tokens, through the service or the data directory. */
interface Tokens {
  list(): Promise<readonly Shown[]>
  create(
    name: string,
    scope: TokenScope,
    days: number | null,
  ): Promise<{ readonly secret: string; readonly token: Shown }>
  revoke(id: string): Promise<void>
}

const WHERE = '[--url <address> --token <admin token>]'
const WHERE_HELP = `
Without --url the tokens are those of the data directory, and Playhead must not run. With --url and a token with the scope
"admin" it is done by the running service; --token-file and PLAYHEAD_TOKEN work too.`

const create: Command = {
  name: 'token create',
  summary: 'creates an API token for a script or dashboard',
  usage: `<name> --scope read|run|write|admin [--days <number>] ${WHERE} [--json]`,
  words: ['name'],
  options: { ...CONNECTION_OPTIONS, scope: { type: 'string' }, days: { type: 'string' } },
  usageCode: EXIT.usage,
  help: `
  --scope  read: look at everything but settings. run: also start and stop runs. write: also change pairs, rows and lists.
           admin: also settings, accounts, plugins, tokens and downloads of backups
  --days   it expires after so many days; by default never
${WHERE_HELP}

The token is printed this once; only its hash is stored.

Example:
  npm run playhead -- token create "Home Assistant" --scope run`,
  async run(cli, given) {
    const { scope, days } = given.options
    if (!TOKEN_SCOPES.includes(scope as TokenScope))
      throw new CliError(`say what it may do with --scope ${TOKEN_SCOPES.join('|')}`)
    if (days !== undefined && !/^[1-9]\d{0,3}$/.test(String(days)))
      throw new CliError('--days is a whole number from 1 to 3650')
    const output = createOutput(cli, given)
    await using tokens = await openTokens(cli, given)
    const made = await tokens.create(
      given.words[0] ?? '',
      scope as TokenScope,
      days === undefined ? null : Number(days),
    )
    output.json({ ok: true, ...made })
    output.line(made.secret)
    return EXIT.done
  },
}

const list: Command = {
  name: 'token list',
  summary: 'lists the API tokens',
  usage: `${WHERE} [--json]`,
  options: CONNECTION_OPTIONS,
  usageCode: EXIT.usage,
  help: WHERE_HELP,
  async run(cli, given) {
    const output = createOutput(cli, given)
    await using tokens = await openTokens(cli, given)
    const all = await tokens.list()
    output.json({ ok: true, tokens: all })
    if (all.length === 0) output.line('No API tokens.')
    else
      for (const row of table([
        ['ID', 'NAME', 'SCOPE', 'EXPIRES', 'LAST USED'],
        ...all.map((one) => [one.id, one.name, one.scope, when(one.expires_at), when(one.last_used_at)]),
      ]))
        output.line(row)
    return EXIT.done
  },
}

const revoke: Command = {
  name: 'token revoke',
  summary: 'revokes an API token at once',
  usage: `<id or name> ${WHERE}`,
  words: ['id or name'],
  options: CONNECTION_OPTIONS,
  usageCode: EXIT.usage,
  help: WHERE_HELP,
  async run(cli, given) {
    const output = createOutput(cli, given)
    await using tokens = await openTokens(cli, given)
    const named = given.words[0] ?? ''
    const found = (await tokens.list()).find(
      ({ id, name }) => id === named || name.toLowerCase() === named.toLowerCase(),
    )
    if (found === undefined) throw new CliError(`there is no token "${named}". See: npm run playhead -- token list`)
    await tokens.revoke(found.id)
    output.line(`Revoked "${found.name}".`)
    output.json({ ok: true, id: found.id })
    return EXIT.done
  },
}

export const tokenCommands: readonly Command[] = [create, list, revoke]

async function openTokens(cli: Cli, given: Arguments): Promise<Tokens & AsyncDisposable> {
  if (given.options['url'] !== undefined) return overHttp(cli, given)
  // A token beside a data directory would be ignored silently.
  if (given.options['token'] !== undefined || given.options['token-file'] !== undefined)
    throw new CliError('--token belongs to --url; without it the tokens of the data directory are meant')
  return inDirectory(cli)
}

async function overHttp(cli: Cli, given: Arguments): Promise<Tokens & AsyncDisposable> {
  const client = await connect(cli, given)
  return {
    list: async () => (await client.call('GET /api/tokens')).tokens,
    create: (name, scope, days) => client.call('POST /api/tokens', { body: { name, scope, expires_in_days: days } }),
    revoke: async (id) => void (await client.call('DELETE /api/tokens/{id}', { params: { id } })),
    [Symbol.asyncDispose]: async () => {},
  }
}

async function inDirectory({ dataDirectory }: Cli): Promise<Tokens & AsyncDisposable> {
  const { openStoredTokens } = await import('../auth/stored-tokens.ts')
  const { tokens, close } = await openStoredTokens(dataDirectory, systemClock).catch((error: unknown) => {
    throw isPlayheadError(error, 'PLH_CONFLICT')
      ? new PlayheadError(error.code, `${error.message} Or let the running one do it: --url and an admin token.`)
      : error
  })
  const show = (token: ReturnType<typeof tokens.list>[number]): Shown => ({
    id: token.id,
    name: token.name,
    scope: token.scope,
    expires_at: token.expiresAtMs === null ? null : Math.floor(token.expiresAtMs / 1_000),
    last_used_at: token.lastUsedAtMs === null ? null : Math.floor(token.lastUsedAtMs / 1_000),
  })
  return {
    list: async () => tokens.list().map(show),
    async create(name, scope, expiresInDays) {
      const { secret, token } = await tokens.create({ name, scope, expiresInDays, by: { name: 'command line' } })
      return { secret, token: show(token) }
    },
    revoke: async (id) => void (await tokens.revoke(id)),
    [Symbol.asyncDispose]: close,
  }
}
