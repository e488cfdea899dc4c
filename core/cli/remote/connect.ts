// The connection of commands to a running service: its address and the API token.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { createClient, isApiError, type Client } from '@playhead/sdk/client'
import { CliError, type Arguments, type Cli } from '../command.ts'
import { defined } from '@playhead/sdk/host'

export const CONNECTION_OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig

export const CONNECTION_USAGE = '--url <address> [--token <token> | --token-file <file>] [--json]'

export const CONNECTION_HELP = `
  --url         address of the service, or PLAYHEAD_URL
  --token       an API token, or PLAYHEAD_TOKEN, which other people on the machine cannot see
  --token-file  a file that holds the token, or PLAYHEAD_TOKEN_FILE
  --json        one JSON document on the output, nothing else

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 removals wait for your review, 4 done in part, 5 cancelled, 6 nothing began.`

export const EXIT = { done: 0, failed: 1, usage: 2, review: 3, partial: 4, cancelled: 5, skipped: 6 } as const

export async function connect(cli: Cli, { options }: Arguments): Promise<Client> {
  const url = text(options['url']) ?? text(cli.variables['PLAYHEAD_URL'])
  if (url === undefined) throw new CliError('name the service with --url, for example --url http://127.0.0.1:8787')
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new CliError(`"${url}" is no address of a service. It begins with http:// or https://`)
  const token = await tokenOf(cli, options)
  return createClient({ url, ...defined({ token }), headers: { 'user-agent': 'playhead-cli' } })
}

async function tokenOf(cli: Cli, options: Arguments['options']): Promise<string | undefined> {
  const given = text(options['token'])
  const file =
    text(options['token-file']) ?? (given === undefined ? text(cli.variables['PLAYHEAD_TOKEN_FILE']) : undefined)
  if (given !== undefined && file !== undefined) throw new CliError('give --token or --token-file, not both')
  const found =
    given ??
    (file === undefined
      ? text(cli.variables['PLAYHEAD_TOKEN'])
      : (await readFile(resolve(cli.workingDirectory, file), 'utf8')).trim())
  if (found !== undefined && !/^[!-~]+$/.test(found)) throw new CliError('the token contains invalid characters')
  return found
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Explains an error of the service to the person at the command line. */
export function explainApiError(error: unknown): string | undefined {
  if (!isApiError(error)) return undefined
  if (error.status === 0) {
    const cause = (error.cause as { cause?: { code?: string } } | undefined)?.cause?.code
    return `the service could not be reached${cause === undefined ? '' : ` (${cause})`}. Does it run, and is --url right?`
  }
  if (error.status === 401 && error.code === 'Unauthorized')
    return 'the service wants an API token. Make one in its settings, and set PLAYHEAD_TOKEN or use --token-file.'
  return error.message
}
