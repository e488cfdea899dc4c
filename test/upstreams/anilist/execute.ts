// Validates a document against the schema first, then executes it field by field.
import type { Document, FieldNode, Operation, Selection, Value } from './parse.ts'

export interface FieldType<Context> {
  /** `Int`, `[Media]`, `MediaListStatus` … */
  readonly type: string
  readonly args?: Readonly<Record<string, string>>
  /** Default: the property of the same name. */
  readonly resolve?: (source: never, args: Args, context: Context) => unknown
  /** Depends on sibling fields, so it is resolved after them. */
  readonly last?: true
}
export type Args = Readonly<Record<string, unknown>>
export interface Schema<Context> {
  readonly types: Readonly<Record<string, Readonly<Record<string, FieldType<Context>>>>>
  readonly enums: Readonly<Record<string, readonly string[]>>
  /** Input objects, with the types of their fields. */
  readonly inputs: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export interface FieldError {
  readonly message: string
  readonly status: number
  readonly path: readonly string[]
  readonly validation?: Readonly<Record<string, readonly string[]>>
}

/** Thrown by a resolver: its field is null, the other fields keep their values. */
export class FieldRefusal extends Error {
  readonly status: number
  readonly validation: FieldError['validation']

  constructor(status: number, message: string, validation?: FieldError['validation']) {
    super(message)
    this.status = status
    this.validation = validation
  }
}

/** The whole document is invalid. */
export class DocumentRefusal extends Error {}

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31,
  Float: (value) => typeof value === 'number',
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
}

export function execute<Context>(
  schema: Schema<Context>,
  document: Document,
  operation: Operation,
  given: Readonly<Record<string, unknown>>,
  context: Context,
  /** Called before a field is resolved; may throw a `FieldRefusal`. */
  before: (name: string) => void = () => {},
): { readonly data: Record<string, unknown>; readonly errors: FieldError[] } {
  const root = operation.type === 'query' ? 'Query' : 'Mutation'
  const variables = variablesOf(schema, operation, given)
  check(root, operation.selections, new Set())
  const errors: FieldError[] = []
  return { data: select(root, {}, operation.selections, []), errors }

  function check(type: string, selections: readonly Selection[], within: ReadonlySet<string>): void {
    for (const node of selections) {
      if (node.kind === 'spread') {
        const fragment = document.fragments.get(node.name) ?? refuse(`Unknown fragment "${node.name}".`)
        if (within.has(node.name)) refuse(`Cannot spread fragment "${node.name}" within itself.`)
        if (fragment.on === type) check(type, fragment.selections, new Set([...within, node.name]))
        else refuse(`Fragment "${node.name}" cannot be spread here.`)
      } else if (node.kind === 'inline') {
        if (node.on !== undefined && node.on !== type) refuse(`A fragment on "${node.on}" cannot be spread here.`)
        check(type, node.selections, within)
      } else checkField(type, node, within)
    }
  }

  function checkField(type: string, node: FieldNode, within: ReadonlySet<string>): void {
    if (node.name === '__typename') return
    const field = schema.types[type]?.[node.name] ?? refuse(`Cannot query field "${node.name}" on type "${type}".`)
    for (const [name, value] of node.args) {
      const wanted =
        field.args?.[name] ?? refuse(`Unknown argument "${name}" on field "${node.name}" of type "${type}".`)
      const found = readValue(value, (variable) => {
        const declared = operation.variables.get(variable)?.type ?? refuse(`Variable "$${variable}" is not defined.`)
        if (declared.replaceAll('!', '') !== wanted.replaceAll('!', ''))
          refuse(`Variable "$${variable}" of type "${declared}" used in position expecting type "${wanted}".`)
        return variables[variable]
      })
      if (value.kind !== 'variable' && !fits(schema, wanted, found)) refuse(`Argument "${name}" has invalid value.`)
    }
    const inner = named(field.type)
    const isObject = inner in schema.types
    if (isObject && node.selections === undefined)
      refuse(`Field "${node.name}" of type "${inner}" must have a sub selection.`)
    if (!isObject && node.selections !== undefined) refuse(`Field "${node.name}" must not have a sub selection.`)
    if (node.selections !== undefined) check(inner, node.selections, within)
  }

  function select(
    type: string,
    source: object,
    selections: readonly Selection[],
    path: readonly string[],
  ): Record<string, unknown> {
    const data: Record<string, unknown> = {}
    const isLast = (node: Selection) => Number(node.kind === 'field' && schema.types[type]?.[node.name]?.last === true)
    for (const node of selections.toSorted((a, b) => isLast(a) - isLast(b))) {
      if (node.kind === 'spread')
        Object.assign(data, select(type, source, document.fragments.get(node.name)?.selections ?? [], path))
      else if (node.kind === 'inline') Object.assign(data, select(type, source, node.selections, path))
      else data[node.alias] = node.name === '__typename' ? type : resolve(type, source, node, [...path, node.alias])
    }
    return data
  }

  function resolve(type: string, source: object, node: FieldNode, path: readonly string[]): unknown {
    const field = schema.types[type]?.[node.name] as FieldType<Context>
    const args = Object.fromEntries(
      [...node.args]
        .map(([name, value]) => [name, readValue(value, (variable) => variables[variable])] as const)
        .filter(([, value]) => value !== undefined),
    )
    try {
      before(node.name)
      const value =
        field.resolve === undefined
          ? source[node.name as keyof typeof source]
          : field.resolve(source as never, args, context)
      return complete(field.type, value, node, path)
    } catch (error) {
      if (!(error instanceof FieldRefusal)) throw error
      const { message, status, validation } = error
      errors.push({ message, status, path, ...(validation === undefined ? {} : { validation }) })
      return null
    }
  }

  function complete(type: string, value: unknown, node: FieldNode, path: readonly string[]): unknown {
    if (value === null || value === undefined) return null
    if (type.startsWith('['))
      return (value as readonly unknown[]).map((one) => complete(type.slice(1, -1), one, node, path))
    return node.selections === undefined ? value : select(named(type), value, node.selections, path)
  }
}

function variablesOf<Context>(
  schema: Schema<Context>,
  { variables }: Operation,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, { type, fallback }] of variables) {
    const inner = named(type)
    if (!(inner in SCALARS) && !(inner in schema.enums) && !(inner in schema.inputs)) refuse(`Unknown type "${inner}".`)
    const value =
      given[name] === undefined && fallback !== undefined ? readValue(fallback, () => undefined) : given[name]
    if (value === undefined && !type.endsWith('!')) continue
    if (!fits(schema, type, value)) refuse(`Variable "$${name}" got invalid value; Expected type ${type}.`)
    values[name] = value
  }
  return values
}

function fits<Context>(schema: Schema<Context>, type: string, value: unknown): boolean {
  if (type.endsWith('!')) return value !== null && value !== undefined && fits(schema, type.slice(0, -1), value)
  if (value === null || value === undefined) return true
  // A single value stands for a list of one.
  if (type.startsWith('['))
    return (Array.isArray(value) ? value : [value]).every((one) => fits(schema, type.slice(1, -1), one))
  const fields = schema.inputs[type]
  if (fields !== undefined) {
    return (
      typeof value === 'object' &&
      Object.entries(value).every(([name, one]) => name in fields && fits(schema, fields[name] as string, one))
    )
  }
  return SCALARS[type]?.(value) ?? schema.enums[type]?.includes(value as string) ?? false
}

function readValue(value: Value, variable: (name: string) => unknown): unknown {
  switch (value.kind) {
    case 'scalar':
      return value.value
    case 'enum':
      return value.name
    case 'variable':
      return variable(value.name)
    case 'list':
      return value.values.map((one) => readValue(one, variable))
  }
}

function named(type: string): string {
  return type.replaceAll(/[[\]!]/g, '')
}

function refuse(message: string): never {
  throw new DocumentRefusal(message)
}
