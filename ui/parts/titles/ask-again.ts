// Polls again while the service refreshes the library.
const AGAIN_MS = 1_500

export function askAgain({ state }: { readonly state: { readonly data?: unknown } }): number | false {
  return againAfter(state.data as Parameters<typeof againAfter>[0])
}

export function againAfter(data: { readonly index?: { readonly current: boolean } } | undefined): number | false {
  return data?.index?.current === false ? AGAIN_MS : false
}

export const timeZone: string = new Intl.DateTimeFormat().resolvedOptions().timeZone
