// The way back in for an operator who lost the password: offline from the command line, or by an environment variable
// at start. Both take away the account and nothing else; whoever sets up the new one proves that they may.
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
  /** Needed when the settings are encrypted with one. */
  readonly passphrase?: string | null
  /** Default: problems go to the error output. */
  readonly log?: Logger
}

/**
 * Resets the account of a service that is not running. Fails with PLH_CONFLICT while it is.
 * @returns the one-time token that the next setup asks for, unless it is done at this machine; only its hash is stored
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

/** Resets the account once for each value of the environment's switch: it may stay set, also over restarts. */
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

// Sessions end with this, too: they are bound to the credentials that go. A linked account is another way in, and goes
// as well.
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
