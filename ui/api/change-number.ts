// Number of the newest change that this page knows. Later reads include it.
import { CHANGE } from './base.ts'

let newest = CHANGE ?? 0

export const newestChange = (): number => newest

export function knowChange(number: number): void {
  if (number > newest) newest = number
}

/** Responses to requests with effects carry the number of their change. */
export function readChange({ headers }: Response): void {
  knowChange(Number(headers.get('x-change')))
}
