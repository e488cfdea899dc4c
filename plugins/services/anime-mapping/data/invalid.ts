// Crosses from the thread of the index, so that it is recognized by its code.
const CODE = 'INVALID_DATA'

/** A data set that is not what it should be. The message says what is wrong with it. */
export class InvalidData extends Error {
  readonly code = CODE
}

export function isInvalidData(error: unknown): error is Error {
  return error instanceof Error && (error as { readonly code?: unknown }).code === CODE
}
