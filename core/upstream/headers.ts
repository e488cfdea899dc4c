// Headers of requests and responses, with lower-case names.

export type HttpHeaders = Readonly<Record<string, string>>

/** As they arrive: a header that was sent more than once is a list. */
export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

export function flatten(headers: RawHeaders): HttpHeaders {
  const result: Record<string, string> = Object.create(null) as Record<string, string>
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return result
}
