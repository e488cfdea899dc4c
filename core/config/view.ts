// The effective document: defaults of all active sections under the stored values, secret paths, and warnings.
import { maskSecrets } from '@playhead/sdk'
import type { ConfigContribution, ConfigDocument, ConfigSection } from './contract.ts'
import {
  copy,
  formatPath,
  freeze,
  isObject,
  isPrefix,
  mapStrings,
  putAt,
  valueAt,
  type Path,
} from './document/document.ts'
import { complete, defaultOf, type SectionChecks } from './document/resolve-section.ts'
import { createSecretRule, type SecretRule } from './secrets/secret-rule.ts'
import { CORE_KEYS } from './sections.ts'
import type { JsonSchema } from './document/schema-walk.ts'

export interface ConfigWarning {
  readonly path: string
  readonly code: 'unknown_section' | 'unknown_key' | 'invalid_value' | 'secret_cleared'
  readonly message: string
}

export interface ConfigView {
  readonly effective: Readonly<ConfigDocument>
  readonly isSecret: SecretRule
  readonly warnings: readonly ConfigWarning[]
}

export interface Section extends Omit<ConfigSection, 'path'> {
  readonly path: readonly string[]
}

export function buildView(
  document: Readonly<ConfigDocument>,
  encrypted: ReadonlySet<string>,
  contributions: readonly ConfigContribution[],
  checks: SectionChecks,
): ConfigView {
  const sections = sectionsOf(contributions)
  const effective = copy(document)
  const warnings: ConfigWarning[] = []
  for (const { path, schema, hasCheckedDefaults } of sections) {
    const stored = valueAt(effective, path)
    if (hasCheckedDefaults === true && isUntouched(stored)) {
      putAt(
        effective,
        path,
        stored === undefined ? defaultOf(schema as JsonSchema) : complete(schema as JsonSchema, stored),
      )
      continue
    }
    const resolved = checks.resolve(schema, stored)
    putAt(effective, path, resolved.value)
    for (const problem of resolved.problems) {
      const name = formatPath([...path, ...problem.path])
      warnings.push({
        path: name,
        code: 'invalid_value',
        message: `${name}: ${problem.msg}. The default is used instead.`,
      })
    }
    for (const key of resolved.unknown) {
      const name = formatPath([...path, ...key])
      warnings.push({ path: name, code: 'unknown_key', message: `${name} is not a known setting. It is kept.` })
    }
  }
  for (const path of undescribed(document, sections)) {
    const name = formatPath(path)
    warnings.push({
      path: name,
      code: 'unknown_section',
      message: `No active plugin knows the section ${name}. It is kept.`,
    })
  }
  const described = sections.map(({ path, schema }) => ({ path, schema: schema as JsonSchema }))
  return { effective: freeze(effective), isSecret: createSecretRule(described, encrypted), warnings }
}

/** Nothing but temporary state, which no schema describes. */
function isUntouched(stored: unknown): boolean {
  return stored === undefined || (isObject(stored) && Object.keys(stored).every((name) => name.startsWith('_')))
}

/** A copy with the defaults of all sections, without validation: list positions are unchanged. */
export function withDefaults(
  document: Readonly<ConfigDocument>,
  contributions: readonly ConfigContribution[],
): ConfigDocument {
  const completed = copy(document) as ConfigDocument
  for (const { path, schema } of sectionsOf(contributions)) {
    putAt(completed, path, complete(schema as JsonSchema, valueAt(completed, path) ?? copy({})))
  }
  return completed
}

/** Shorter paths first, so that nested sections take precedence. */
export function sectionsOf(contributions: readonly ConfigContribution[]): readonly Section[] {
  return contributions
    .flatMap(({ sections }) => sections.map((section) => ({ ...section, path: section.path.split('.') })))
    .sort((a, b) => a.path.length - b.path.length)
}

/** The document for clients: secrets masked, temporary flow state removed. */
export function maskedDocument({ effective, isSecret }: ConfigView): ConfigDocument {
  return withoutTransient(maskSecrets(effective, isSecret))
}

export function secretValuesOf(document: Readonly<ConfigDocument>, isSecret: SecretRule): ReadonlySet<string> {
  const values = new Set<string>()
  mapStrings(document, (text, path) => {
    if (text === '') return text
    if (isSecret(path)) values.add(text)
    const password = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:([^\s/@]+)@/i.exec(text)?.[1]
    if (password !== undefined) values.add(password)
    return text
  })
  return values
}

function undescribed(value: unknown, sections: readonly Section[], path: Path = []): readonly Path[] {
  if (sections.some((section) => isPrefix(section.path, path))) return []
  const isAbove = path.length === 0 || sections.some((section) => isPrefix(path, section.path))
  if (!isAbove || !isObject(value)) return [path]
  return Object.entries(value)
    .filter(([name]) => !name.startsWith('_') && !(path.length === 0 && CORE_KEYS.includes(name)))
    .flatMap(([name, below]) => undescribed(below, sections, [...path, name]))
}

/** Keys with a leading underscore are temporary flow state; clients neither see nor send them. */
export function withoutTransient<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutTransient) as T
  if (!isObject(value)) return value
  const kept = Object.create(null) as ConfigDocument
  for (const [name, item] of Object.entries(value)) if (!name.startsWith('_')) kept[name] = withoutTransient(item)
  return kept as T
}
