// Texts with values, in the message format of ICU: `{name}`, and `{n, plural, one {# item} other {# items}}`. The
// compiler checks that each placeholder gets a value.
import { IntlMessageFormat } from 'intl-messageformat'
import { locale } from './language.ts'

type Word<Head extends string> = Head extends `${infer Name}, ${'plural' | 'select'},${string}`
  ? Name
  : Head extends `${string}${' ' | '#' | '{'}${string}`
    ? never
    : Head

// A plural form is text, not a placeholder.
type Places<Text extends string> = Text extends `${infer Before}{${infer Rest}`
  ?
      | (Before extends `${string}${'one' | 'other'} `
          ? never
          : Rest extends `${infer Head}}${string}`
            ? Word<Head>
            : never)
      | Places<Rest>
  : never

type Values<Text extends string> = Readonly<Record<Places<Text>, string | number>>

interface Message {
  readonly format: (values: Readonly<Record<string, string | number>>) => string
  /** The names whose numbers select a plural form. */
  readonly counted: ReadonlySet<string>
}

const numbers = new Intl.NumberFormat(locale)
const messages = new Map<string, Message>()
const PLURAL = /\{(\w+), plural,/g

/** `say('Remove {name}?', { name })`; numbers are formatted for the language. */
export function say<const Text extends string>(text: Text, values: Values<Text>): string {
  const message = messages.get(text) ?? parsed(text)
  const given: Record<string, string | number> = { ...(values as Readonly<Record<string, string | number>>) }
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === 'number' && !message.counted.has(name)) given[name] = numbers.format(value)
  }
  return message.format(given)
}

function parsed(text: string): Message {
  const format = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })
  const message: Message = {
    format: (values) => format.format(values) as string,
    counted: new Set(Array.from(text.matchAll(PLURAL), ([, name]) => name as string)),
  }
  messages.set(text, message)
  return message
}
