// The number of the newest change that this page knows of. What is read afterwards includes it.
let newest = 0

export const newestChange = (): number => newest

export function knowChange(number: number): void {
  if (number > newest) newest = number
}

/** The answer of a request with effects says the number of its change. */
export function readChange({ headers }: Response): void {
  knowChange(Number(headers.get('x-change')))
}
