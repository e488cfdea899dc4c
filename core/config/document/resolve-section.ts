// Resolves stored sections for plugins: fills in defaults and replaces invalid values by their field's default. The
// stored document is unchanged, so that invalid values can be seen and corrected.
import type { TObject } from '@sinclair/typebox'
import { createCompilers, ValidationProblem, type ValidationDetail } from '../../http/validation.ts'
import { copy, formatPath, isObject, valueAt, type Path } from './document.ts'
import { alternatives, schemasAt, schemasBelow, type JsonSchema } from './schema-walk.ts'

interface SectionProblem {
  /** Relative to the section. */
  readonly path: Path
  readonly msg: string
  readonly type: string
}

interface ResolvedSection {
  readonly value: unknown
  readonly problems: readonly SectionProblem[]
  /** Keys that the schema does not know. */
  readonly unknown: readonly Path[]
  /** False if even the defaults are invalid. */
  readonly valid: boolean
}

export interface SectionChecks {
  /** Resolves a stored section. */
  resolve(schema: TObject, stored: unknown): ResolvedSection
  /** Problems of a stored section, without unknown keys. */
  problems(schema: TObject, stored: unknown): readonly SectionProblem[]
}

// Each round repairs everything found; more rounds are needed only if a default is itself invalid.
const MAX_ROUNDS = 20

export function createSectionChecks(): SectionChecks {
  const compilers = createCompilers()
  const compiled = new WeakMap<object, (value: unknown) => readonly SectionProblem[]>()

  return {
    resolve: (schema, stored) => resolveSection(schema as JsonSchema, stored, checkOf(schema)),
    problems(schema, stored) {
      const found = checkOf(schema)(complete(schema as JsonSchema, copy(stored)))
      return found.filter((problem) => problem.type !== 'extra_forbidden')
    },
  }

  function checkOf(schema: TObject): (value: unknown) => readonly SectionProblem[] {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    const validate = compilers.validator({ schema, method: 'POST', url: '/', httpPart: 'body' })
    const check = (value: unknown): readonly SectionProblem[] => {
      const { error } = validate(value) as { readonly error?: Error }
      if (error === undefined) return []
      if (!(error instanceof ValidationProblem)) throw error
      return error.detail.map((detail) => ({ path: pathOf(detail, value), msg: detail.msg, type: detail.type }))
    }
    compiled.set(schema, check)
    return check
  }
}

/** Fills in the defaults of the schema. Changes and returns `value`. */
export function complete(schema: JsonSchema, value: unknown): unknown {
  const completed = value === undefined && schema.default !== undefined ? copy(schema.default) : value
  if (Array.isArray(completed)) {
    return completed.map((item, index) =>
      schemasBelow(schema, index).reduce<unknown>((done, below) => complete(below, done), item),
    )
  }
  if (!isObject(completed)) return completed
  for (const one of [schema, ...(schema.allOf ?? [])]) {
    for (const [name, below] of Object.entries(one.properties ?? {})) {
      const isAbsent = completed[name] === undefined && one.required?.includes(name)
      const done = isAbsent ? defaultOf(below) : complete(below, completed[name])
      if (done !== undefined) completed[name] = done
    }
    for (const name of Object.keys(completed)) {
      if (one.properties !== undefined && Object.hasOwn(one.properties, name)) continue
      for (const below of schemasBelow(mapPartOf(one), name)) completed[name] = complete(below, completed[name])
    }
  }
  return completed
}

function resolveSection(
  schema: JsonSchema,
  stored: unknown,
  check: (value: unknown) => readonly SectionProblem[],
): ResolvedSection {
  const problems = new Map<string, SectionProblem>()
  const unknown = new Map<string, Path>()
  const tried = new Set<string>()
  const root = { value: stored === undefined ? defaultOf(schema) : complete(schema, copy(stored)) }
  findUnknown(schema, root.value, [], unknown)

  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = check(root.value)
    if (found.length === 0)
      return { value: root.value, problems: [...problems.values()], unknown: [...unknown.values()], valid: true }
    const repairs = found.map((problem) => {
      if (problem.type === 'extra_forbidden') unknown.set(formatPath(problem.path), problem.path)
      else problems.set(`${formatPath(problem.path)} ${problem.type}`, problem)
      return repair(schema, root, problem, tried)
    })
    removeElements(
      root.value,
      repairs.filter((one) => typeof one === 'object'),
    )
    if (repairs.every((one) => one === 'impossible')) break
  }
  return { value: root.value, problems: [...problems.values()], unknown: [...unknown.values()], valid: false }
}

/**
 * Replaces the value by the nearest field's default. Returns the position of a list element that cannot be repaired, to
 * be dropped alone. If a field was already repaired, its parent is used.
 */
function repair(
  schema: JsonSchema,
  root: { value: unknown },
  problem: SectionProblem,
  tried: Set<string>,
): 'done' | 'impossible' | Path {
  if (problem.type === 'extra_forbidden') return removeKey(root.value, problem.path)
  for (let length = problem.path.length; length > 0; length -= 1) {
    const path = problem.path.slice(0, length)
    const part = path[length - 1] as string | number
    const schemas = schemasAt(schema, path).flatMap(alternatives)
    if (typeof part === 'number') {
      if (schemas.some((one) => one.type === 'object')) return path
      continue
    }
    const parent = valueAt(root.value, path.slice(0, -1))
    const name = formatPath(path)
    if (tried.has(name) || !isObject(parent)) continue
    tried.add(name)
    const fallback = schemas.map(defaultOf).find((value) => value !== undefined)
    if (fallback !== undefined) {
      parent[part] = fallback
      return 'done'
    }
    const isRequired = schemasAt(schema, path.slice(0, -1))
      .flatMap(alternatives)
      .some((one) => one.required?.includes(part))
    if (!isRequired && Object.hasOwn(parent, part)) return removeKey(root.value, path)
  }
  if (problem.path.length > 0 || tried.has('')) return 'impossible'
  tried.add('')
  root.value = defaultOf(schema)
  return 'done'
}

function removeKey(root: unknown, path: Path): 'done' {
  const parent = valueAt(root, path.slice(0, -1))
  if (isObject(parent)) delete parent[String(path.at(-1))]
  return 'done'
}

function removeElements(root: unknown, paths: readonly Path[]): void {
  const distinct = new Map(paths.map((path) => [formatPath(path), path]))
  // From the end, so that remaining positions stay valid.
  const ordered = [...distinct.values()].sort((a, b) => Number(b.at(-1)) - Number(a.at(-1)))
  for (const path of ordered) {
    const list = valueAt(root, path.slice(0, -1))
    if (Array.isArray(list)) list.splice(Number(path.at(-1)), 1)
  }
}

function findUnknown(schema: JsonSchema, value: unknown, path: Path, unknown: Map<string, Path>): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const below of schemasBelow(schema, index)) findUnknown(below, item, [...path, index], unknown)
    }
  }
  if (!isObject(value)) return
  const namesKeys =
    alternatives(schema).some((one) => one.properties !== undefined) && !alternatives(schema).some(isMap)
  for (const [name, item] of Object.entries(value)) {
    const below = schemasBelow(schema, name)
    // Keys with a leading underscore are temporary state of flows.
    if (below.length === 0 && namesKeys && !name.startsWith('_'))
      unknown.set(formatPath([...path, name]), [...path, name])
    for (const one of below) findUnknown(one, item, [...path, name], unknown)
  }
}

function isMap(schema: JsonSchema): boolean {
  return (
    schema.patternProperties !== undefined ||
    (schema.additionalProperties !== undefined && schema.additionalProperties !== false)
  )
}

function mapPartOf({ patternProperties = {}, additionalProperties = false }: JsonSchema): JsonSchema {
  return { patternProperties, additionalProperties }
}

export function defaultOf(schema: JsonSchema): unknown {
  return complete(schema, schema.default === undefined && schema.type === 'object' ? copy({}) : undefined)
}

// A number in the validator's path may be a position or a numeric key.
function pathOf(detail: ValidationDetail, root: unknown): Path {
  let at = root
  return detail.loc.slice(1).map((part) => {
    const real = Array.isArray(at) ? Number(part) : String(part)
    at = valueAt(at, [real])
    return real
  })
}
