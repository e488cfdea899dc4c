// The window with the page of a service. It is opened during the press of a button, before the address is known, because
// browsers block windows that open later.
import { openWindow as open, useOpener } from '../page/open-window.ts'
import { fieldsOf } from './fields-of.ts'
import { useManifests, type Way } from './manifests.ts'

const [WIDTH, HEIGHT, MARGIN] = [620, 760, 24]

/** The window that a press opened for the sign-in that it shows; null if the browser blocked it. */
let opened: { readonly window: Window | null } | undefined

/** Beside the code, which stays visible on a wide screen. */
function features(): string {
  const left = Math.max(0, window.screenX + window.outerWidth - WIDTH - MARGIN)
  return `width=${WIDTH},height=${HEIGHT},left=${left},top=${window.screenY + MARGIN}`
}

/** Null if the browser blocks it. */
export function openWindow(url = 'about:blank'): Window | null {
  return open(url, features())
}

/** Whether a sign-in has a page at the service, and starts without further input. */
export function startsAtOnce({ kind, form }: Way): boolean {
  return (kind === 'code' || kind === 'redirect') && fieldsOf(form).length === 0
}

/** Call it in the handler of the press that shows the method. */
export function openAhead(way: Way | undefined): void {
  closeAhead()
  if (way !== undefined && startsAtOnce(way) && way.shows.url !== null) opened = { window: openWindow() }
}

/** The window of the press, for the sign-in that starts; undefined if no press showed the sign-in. */
export function takeAhead(): { readonly window: Window | null } | undefined {
  const taken = opened
  opened = undefined
  return taken
}

export function closeAhead(): void {
  takeAhead()?.window?.close()
}

/** Opens the window for the first method of a service; call it in the handler of the press. */
export function useOpenAhead(): (provider: string) => void {
  useOpener()
  const { data } = useManifests()
  return (provider) =>
    openAhead(data?.find(({ name }) => name === provider)?.sign_in.find(({ kind }) => kind !== 'none'))
}
