// The error crosses from the index thread, so it is recognized by its code.
const CODE = 'INVALID_DATA'

/** An invalid data set. The message describes the error. */
export class InvalidData extends Error {
  readonly code = CODE
}

export function isInvalidData(error: unknown): error is Error {
  return error instanceof Error && (error as { readonly code?: unknown }).code === CODE
}
