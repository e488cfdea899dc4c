// Saves what a client sent: the rules between a request's body and the stored document.
import { isPlayheadError } from '@playhead/sdk'
import { ValidationProblem, type ValidationDetail } from '../http/validation.ts'
import { clearBoundSecrets } from './bound-secrets.ts'
import type { ConfigChange, ConfigDocument } from './contract.ts'
import { copy, isObject } from './document.ts'
import { withoutDefaults } from './draft.ts'
import { mergeInto, withoutKept } from './merge.ts'
import { restoreSecrets } from './restore.ts'
import type { RunningConfig } from './service.ts'
import { sectionsOf, withDefaults, type ConfigWarning } from './view.ts'

const MAX_INPUT_ENTRIES = 20_000

export interface SaveOptions {
  readonly by: string
  /** Of the running service: a save by hand ends a pending upgrade. */
  readonly version: string
  readonly ifRevision?: string | undefined
}

export interface SavedInput {
  readonly change: ConfigChange
  /** What the input held and this road does not change. */
  readonly ignoredPaths: readonly string[]
  readonly warnings: readonly ConfigWarning[]
}

/**
 * Throws a ValidationProblem for what the schemas refuse, PLH_INVALID for keys that no document may have, PLH_CONFLICT
 * for a stale revision.
 */
export async function saveInput(
  config: RunningConfig,
  body: unknown,
  { by, version, ifRevision }: SaveOptions,
): Promise<SavedInput> {
  const { input, ignored } = readInput(body)
  let cleared: readonly string[] = []
  try {
    const change = await config.change(
      by,
      (draft) => {
        cleared = applyInput(config, draft, input)
        endUpgrade(draft, version)
      },
      { ifRevision },
    )
    return { change, ignoredPaths: ignored, warnings: [...cleared.map(toWarning), ...config.status().warnings] }
  } catch (error) {
    throw asValidationProblem(error)
  }
}

/** Throws a ValidationProblem when the body is no object. */
export function readInput(body: unknown): { readonly input: ConfigDocument; readonly ignored: readonly string[] } {
  if (isObject(body)) return withoutKept(copy(body, MAX_INPUT_ENTRIES))
  const isMissing = body === undefined || body === null
  const [type, msg] = isMissing ? ['missing', 'Field required'] : ['dict_type', 'Input should be a valid object']
  throw new ValidationProblem([{ loc: ['body'], msg, type }])
}

/**
 * Puts an input into a draft and names the secrets that had to go. A default that a client only sends back is not
 * stored: it may be another one in the next version, and a plugin must not be loaded anew because its settings were
 * looked at.
 */
export function applyInput(
  config: RunningConfig,
  draft: ConfigDocument,
  input: Readonly<ConfigDocument>,
): readonly string[] {
  const contributions = config.contributions()
  const before = copy(draft)
  const shownBefore = withDefaults(before, contributions)
  const merged = copy(shownBefore)
  mergeInto(merged, restoreSecrets(input, before, shownBefore, config.isSecret))
  for (const key of Object.keys(draft)) delete draft[key]
  Object.assign(draft, withoutDefaults(merged, shownBefore, before))
  return clearBoundSecrets(sectionsOf(contributions), before, shownBefore, draft, withDefaults(draft, contributions))
}

export function endUpgrade(draft: ConfigDocument, version: string): void {
  if (isObject(draft['ui'])) {
    delete draft['ui']['_autogen']
    delete draft['ui']['_pending_upgrade_from_version']
  }
  draft['version'] = version
}

export function asValidationProblem(error: unknown): unknown {
  if (!isPlayheadError(error, 'PLH_CONFIG_INVALID')) return error
  const problems = error.details?.['problems'] as readonly ValidationDetail[] | undefined
  if (problems === undefined) return error
  return new ValidationProblem(problems.map(({ loc, msg, type }) => ({ loc: ['body', ...loc], msg, type })))
}

function toWarning(path: string): ConfigWarning {
  return {
    path,
    code: 'secret_cleared',
    message: `${path} was removed, because it belongs to the former address. Sign in again.`,
  }
}
