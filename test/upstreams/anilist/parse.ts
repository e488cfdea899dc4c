// Parses the subset of GraphQL that AniList clients use: operations, variables with defaults, aliases, arguments, fragments.
// Refuses everything else.
export type Value =
  | { readonly kind: 'scalar'; readonly value: string | number | boolean | null }
  | { readonly kind: 'enum' | 'variable'; readonly name: string }
  | { readonly kind: 'list'; readonly values: readonly Value[] }

export interface FieldNode {
  readonly kind: 'field'
  readonly alias: string
  readonly name: string
  readonly args: ReadonlyMap<string, Value>
  readonly selections: readonly Selection[] | undefined
}
export type Selection =
  | FieldNode
  | { readonly kind: 'spread'; readonly name: string }
  | { readonly kind: 'inline'; readonly on: string | undefined; readonly selections: readonly Selection[] }

export interface Operation {
  readonly type: 'query' | 'mutation'
  readonly name: string | undefined
  /** Variable name to its declared type and its default. */
  readonly variables: ReadonlyMap<string, { readonly type: string; readonly fallback: Value | undefined }>
  readonly selections: readonly Selection[]
}
export interface Document {
  readonly operations: readonly Operation[]
  readonly fragments: ReadonlyMap<string, { readonly on: string; readonly selections: readonly Selection[] }>
}

export class SyntaxRefusal extends Error {}

const TOKEN =
  /\s+|,|\uFEFF|#[^\n]*|(\.\.\.|[!$():=@[\]{}|&])|([A-Za-z_]\w*)|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|("(?:[^"\\\n]|\\.)*")/y

export function parse(text: string): Document {
  const tokens = tokensOf(text)
  let at = 0
  const peek = (): string => tokens[at] ?? ''
  const next = (): string => tokens[at++] ?? fail('the document ends too early')
  const accept = (token: string): boolean => peek() === token && (at += 1) > 0
  const expect = (token: string): void => {
    if (!accept(token)) fail(`expected "${token}", found "${peek()}"`)
  }
  const name = (): string => (/^[A-Za-z_]/.test(peek()) ? next() : fail(`expected a name, found "${peek()}"`))

  const operations: Operation[] = []
  const fragments = new Map<string, { on: string; selections: Selection[] }>()
  while (at < tokens.length) {
    if (peek() === '{')
      operations.push({ type: 'query', name: undefined, variables: new Map(), selections: selections() })
    else if (accept('fragment')) {
      const own = name()
      expect('on')
      fragments.set(own, { on: name(), selections: selections() })
    } else operations.push(operation())
  }
  if (operations.length === 0) fail('there is no operation')
  return { operations, fragments }

  function operation(): Operation {
    const type = name()
    if (type !== 'query' && type !== 'mutation') return fail(`"${type}" is no operation`)
    const own = /^[A-Za-z_]/.test(peek()) ? name() : undefined
    const variables = new Map<string, { type: string; fallback: Value | undefined }>()
    if (accept('(')) {
      while (!accept(')')) {
        expect('$')
        const variable = name()
        expect(':')
        variables.set(variable, { type: typeRef(), fallback: accept('=') ? value() : undefined })
      }
    }
    return { type, name: own, variables, selections: selections() }
  }

  function typeRef(): string {
    let type: string
    if (accept('[')) {
      type = `[${typeRef()}]`
      expect(']')
    } else type = name()
    return accept('!') ? `${type}!` : type
  }

  function selections(): Selection[] {
    expect('{')
    const found: Selection[] = []
    while (!accept('}')) found.push(selection())
    return found.length === 0 ? fail('a selection is empty') : found
  }

  function selection(): Selection {
    if (accept('...')) {
      if (peek() === '{') return { kind: 'inline', on: undefined, selections: selections() }
      const own = name()
      return own === 'on' ? { kind: 'inline', on: name(), selections: selections() } : { kind: 'spread', name: own }
    }
    const first = name()
    const field = accept(':') ? name() : first
    const args = new Map<string, Value>()
    if (accept('(')) {
      while (!accept(')')) {
        const arg = name()
        expect(':')
        args.set(arg, value())
      }
    }
    if (peek() === '@') fail('directives are not known here')
    return { kind: 'field', alias: first, name: field, args, selections: peek() === '{' ? selections() : undefined }
  }

  function value(): Value {
    const token = next()
    if (token === '$') return { kind: 'variable', name: name() }
    if (token === '[') {
      const values: Value[] = []
      while (!accept(']')) values.push(value())
      return { kind: 'list', values }
    }
    if (token === 'true' || token === 'false') return { kind: 'scalar', value: token === 'true' }
    if (token === 'null') return { kind: 'scalar', value: null }
    if (token.startsWith('"')) return { kind: 'scalar', value: JSON.parse(token) as string }
    if (/^-?\d/.test(token)) return { kind: 'scalar', value: Number(token) }
    return /^[A-Za-z_]/.test(token) ? { kind: 'enum', name: token } : fail(`"${token}" is no value`)
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (match === null) fail(`unexpected character "${text[from]}"`)
    const token = match.slice(1).find((part) => part !== undefined)
    if (token !== undefined) tokens.push(token)
  }
  return tokens
}

function fail(message: string): never {
  throw new SyntaxRefusal(`Syntax Error: ${message}`)
}
