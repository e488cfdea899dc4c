// Saves a client's input: validation and merging.
import type { FastifyRequest } from 'fastify'
import { Type } from '@sinclair/typebox'
import { isPlayheadError } from '@playhead/sdk'
import { type ValidationDetail, ValidationProblem } from '../../http/validation.ts'
import { clearBoundSecrets } from '../secrets/bound-secrets.ts'
import type { ConfigChange, ConfigDocument } from '../contract.ts'
import { copy, isObject } from '../document/document.ts'
import { withoutDefaults } from '../draft.ts'
import { mergeInto, withoutProtected } from '../document/merge.ts'
import { restoreSecrets } from '../secrets/restore.ts'
import type { RunningConfig } from '../service.ts'
import { type ConfigWarning, sectionsOf, withDefaults } from '../view.ts'

const MAX_INPUT_ENTRIES = 20_000

interface SaveOptions {
  readonly by: string
  /** Version of the service: a manual save ends a pending upgrade. */
  readonly version: string
  readonly ifRevision?: string | undefined
}

interface SavedInput {
  readonly change: ConfigChange
  /** Paths of the input that this route does not change. */
  readonly ignoredPaths: readonly string[]
  readonly warnings: readonly ConfigWarning[]
}

/**
 * Throws a ValidationProblem for schema violations, PLH_INVALID for forbidden keys, PLH_CONFLICT for a stale revision.
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

/** Throws a ValidationProblem if the body is not an object. */
export function readInput(body: unknown): { readonly input: ConfigDocument; readonly ignored: readonly string[] } {
  if (isObject(body)) return withoutProtected(copy(body, MAX_INPUT_ENTRIES))
  const isMissing = body === undefined || body === null
  const [type, msg] = isMissing ? ['missing', 'Field required'] : ['dict_type', 'Input should be a valid object']
  throw new ValidationProblem([{ loc: ['body'], msg, type }])
}

/**
 * Merges an input into a draft and returns the secrets that were cleared. Defaults sent back unchanged are not stored:
 * they may change with the next version, and storing them would reload plugins.
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

/** Another type is rejected, because it cannot be compared. */
export const Revision = Type.Optional(
  Type.String({ maxLength: 64, description: 'Refuses the save (409) when the settings were changed since.' }),
)

/**
 * The client's revision; undefined for an unconditional save. The part of an ETag after the dot identifies the
 * representation and is ignored.
 */
export function ifRevision(
  { headers }: Pick<FastifyRequest, 'headers'>,
  inBody: string | undefined,
): string | undefined {
  const header = headers['if-match']?.trim()
  return header === undefined || header === '*' ? inBody : header.replace(/^W\//, '').replace(/^"([^".]*).*"$/, '$1')
}
