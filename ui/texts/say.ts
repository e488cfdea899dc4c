// Texts with placeholders. The compiler checks that each placeholder gets a value.
type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never
type Values<Text extends string> = Readonly<Record<Places<Text>, string | number>>

const numbers = new Intl.NumberFormat('en')
const plurals = new Intl.PluralRules('en')

/** `say('Remove {name}?', { name })`; numbers are formatted for the language. */
export function say<const Text extends string>(text: Text, values: Values<Text>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = (values as Readonly<Record<string, string | number>>)[name]
    return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value
  })
}

export interface Forms {
  readonly one: string
  readonly other: string
}

/** `count(3, { one: '{n} item', other: '{n} items' })` */
export function count(n: number, forms: Forms): string {
  return forms[plurals.select(n) === 'one' ? 'one' : 'other'].replaceAll('{n}', numbers.format(n))
}
