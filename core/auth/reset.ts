// Account reset for a lost password: offline from the command line, or by an environment variable at start. Removes
// only the account; the next setup requires proof of access.
import { hash } from 'node:crypto'
import { PlayheadError, type Logger } from '@playhead/sdk'
import type { ConfigDocument, ConfigService } from '../config/contract.ts'
import { linkKey } from '../config/sections.ts'
import { createConfigService } from '../config/service.ts'
import { SIGN_IN_METHOD } from '../wire-names.ts'
import { openDataDirectory } from '../storage/data-directory.ts'
import { openVault } from '../storage/vault.ts'
import { VERSION } from '../version.ts'
import { newSetupToken, setupTokenHash } from './setup-token.ts'
import { accountSection, type Account } from './stored-account.ts'

export interface ResetOptions {
  /** Required if the settings are encrypted with one. */
  readonly passphrase?: string | null
  /** Default: the error output. */
  readonly log?: Logger
}

/**
 * Resets the account of a stopped service. Fails with PLH_CONFLICT while it is running.
 * @returns the one-time setup token, required unless the setup is done locally; only its hash is stored
 */
export async function resetAuthentication(
  dataDirectory: string,
  { passphrase, log = toErrorOutput }: ResetOptions = {},
): Promise<{ readonly setupToken: string }> {
  const directory = await openDataDirectory(dataDirectory)
  try {
    const vault = openVault({ keyFile: directory.secretKey, passphrase: passphrase ?? undefined })
    const files = { file: directory.config, lastGoodFile: directory.configLastGood }
    const config = await createConfigService({ ...files, vault, version: VERSION, log })
    const setupToken = newSetupToken()
    await config.change('reset', (draft) => clearAccount(draft, { setup: { hash: setupTokenHash(setupToken) } }))
    await config.close()
    return { setupToken }
  } finally {
    await directory.close()
  }
}

/** Resets the account once per value of the environment variable, which may stay set across restarts. */
export async function applyEnvironmentReset({
  account,
  config,
  log,
  marker,
}: {
  readonly account: () => Account
  readonly config: Pick<ConfigService, 'change'>
  readonly log: Logger
  readonly marker: string
}): Promise<void> {
  const applied = hash('sha256', marker, 'hex')
  if (account().appliedReset === applied) return
  await config.change('reset', (draft) => clearAccount(draft, { applied_reset: applied }))
  if (account().state !== 'setup_required') throw new PlayheadError('PLH_NOT_READY', 'The account could not be reset.')
  log.warn('the account was reset as PLAYHEAD_AUTH_RESET asks; the same value does nothing at the next start')
}

// Ends the sessions too, because they are bound to the credentials. A linked account could sign in, so it is removed as
// well.
function clearAccount(draft: ConfigDocument, marks: ConfigDocument): void {
  const section = accountSection(draft)
  for (const key of ['password', 'credentials_id', 'setup', linkKey(SIGN_IN_METHOD)]) delete section[key]
  Object.assign(section, { enabled: false, username: '', reset_required: true, disabled_at: 0 }, marks)
}

const ignore = (): void => undefined

const toErrorOutput: Logger = {
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: print,
  error: print,
  channel: () => toErrorOutput,
}

function print(fields: object | string, text?: string): void {
  process.stderr.write(`${typeof fields === 'string' ? fields : (text ?? '')}\n`)
}
