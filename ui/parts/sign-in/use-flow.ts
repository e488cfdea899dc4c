// The state of one sign-in: start, wait for the approval, poll until it ends. A pending flow is resumed after a page
// reload.
import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { type ApiResult, callOperation, codeText, reasonText } from './call.ts'
import type { Values } from './fields-of.ts'
import type { Way } from './manifests.ts'
import { closeAhead, openWindow, startsAtOnce, takeAhead } from './window.ts'

type Poll = Answer<'POST /api/auth/sign-in/{provider}/poll'>

export type FlowState =
  | { readonly phase: 'looking' }
  | { readonly phase: 'form'; readonly problem: string | null }
  | { readonly phase: 'starting' }
  | Waiting
  | { readonly phase: 'over'; readonly status: 'denied' | 'expired' | 'failed'; readonly reason: string | null }

export interface Waiting {
  readonly phase: 'waiting'
  readonly code: string | null
  readonly url: string | null
  readonly expiresAtMs: number | null
  readonly isBlocked: boolean
  /** The profile was already signed in and the service does not distinguish the two, so the user must confirm the end. */
  readonly needsConfirmation: boolean
  /** The window was closed or can no longer be observed. */
  readonly isClosed: boolean
  readonly isLost: boolean
  /** The page shows a text that the user pastes here. */
  readonly isPasted: boolean
}

const LOST_MS = 5_000

export function useFlow({
  way,
  instance,
  onDone,
}: {
  readonly way: Way
  readonly instance: string
  readonly onDone: () => void
}) {
  const isLasting = way.kind === 'code' || way.kind === 'redirect'
  const [state, setState] = useState<FlowState>(isLasting ? { phase: 'looking' } : { phase: 'form', problem: null })
  const looking = useRef<AbortController | null>(null)
  const opened = useRef<Window | null>(null)
  /** The opened window shows no page yet. */
  const isBlank = useRef(false)
  const done = useRef(onDone)
  done.current = onDone

  const change = (part: Partial<Waiting>) =>
    setState((before) => (before.phase === 'waiting' ? { ...before, ...part } : before))

  function poll(signal: AbortSignal): Promise<Poll> {
    return callOperation(
      way.poll as NonNullable<Way['poll']>,
      instance,
      { method: way.method },
      signal,
    ) as Promise<unknown> as Promise<Poll>
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once per method and profile, which the caller sets as the key
  useEffect(() => {
    const controller = new AbortController()
    looking.current = controller
    if (isLasting) void takeUp(controller.signal)
    else closeAhead()
    return () => looking.current?.abort()
  }, [])

  async function takeUp(signal: AbortSignal) {
    const ahead = takeAhead()
    try {
      const { status, code, url, paste, expires_at: expiresAt } = await poll(signal)
      if (status === 'pending' && (code !== null || way.kind === 'redirect')) {
        hold(ahead?.window ?? null)
        show(url)
        setState({
          phase: 'waiting',
          code,
          url,
          expiresAtMs: toMs(expiresAt),
          isBlocked: opened.current === null,
          needsConfirmation: false,
          isClosed: false,
          isLost: false,
          isPasted: paste,
        })
        void watch(signal)
        return
      }
    } catch {
      // Starting the sign-in shows the error.
    }
    if (signal.aborted) return ahead?.window?.close()
    // Without anything to fill in, the press that showed this is the one that starts it. A page to visit needs its window.
    if (startsAtOnce(way) && (way.kind === 'code' || ahead !== undefined)) return await start({}, ahead?.window ?? null)
    ahead?.window?.close()
    setState({ phase: 'form', problem: null })
  }

  function hold(target: Window | null) {
    opened.current = target
    isBlank.current = target !== null
  }

  /** Shows the page in the window of the press. */
  function show(url: string | null) {
    if (opened.current === null || !isBlank.current || url === null || !/^https?:/i.test(url)) return
    opened.current.location.href = url
    isBlank.current = false
  }

  /** @param ahead the window of the press; by default, this is the press */
  async function start(values: Values, ahead = way.shows.url === null ? null : openWindow()) {
    looking.current?.abort()
    const controller = new AbortController()
    looking.current = controller
    const { signal } = controller
    setState({ phase: 'starting' })
    hold(ahead)
    try {
      if (way.prepare !== null) await callOperation(way.prepare, instance, values, signal)
      const answer: ApiResult = way.start === null ? {} : await callOperation(way.start, instance, values, signal)
      if (!isLasting) return finish()
      const shown = (name: string | null) =>
        name !== null && typeof answer[name] === 'string' && answer[name] !== '' ? answer[name] : null
      const url = shown(way.shows.url)
      const needsConfirmation = way.method === 'oauth' && (await poll(signal)).status === 'authorized'
      show(url)
      setState({
        phase: 'waiting',
        code: shown(way.shows.code),
        url,
        expiresAtMs: null,
        isBlocked: opened.current === null,
        needsConfirmation,
        isClosed: false,
        isLost: false,
        isPasted: answer['paste'] === true,
      })
      if (!needsConfirmation) void watch(signal)
    } catch (error) {
      closeWindow()
      if (!signal.aborted) setState({ phase: 'form', problem: reasonText(error) })
    }
  }

  async function watch(signal: AbortSignal) {
    while (!signal.aborted) {
      let waitMs = LOST_MS
      try {
        const { status, interval, code, url, expires_at: expiresAt, reason } = await poll(signal)
        if (signal.aborted) return
        if (status === 'authorized') {
          if (way.finish !== null) await callOperation(way.finish, instance, {}, signal)
          return finish()
        }
        if (status === 'none' && way.kind === 'code') return end('failed', codeText('lost'))
        if (status === 'denied' || status === 'expired' || status === 'failed')
          return end(status, reason === null || reason === '' ? null : codeText(reason))
        waitMs = Math.max(1, interval) * 1000
        // Some services name the page only now; the others have none.
        show(url)
        if (isBlank.current) closeWindow()
        change({
          isLost: false,
          isClosed: opened.current?.closed === true,
          expiresAtMs: toMs(expiresAt),
          ...(code === null ? {} : { code }),
          ...(url === null || way.kind === 'redirect' ? {} : { url }),
        })
      } catch (error) {
        if (signal.aborted) return
        const isTemporary = isApiError(error) && (error.status === 0 || error.status === 429 || error.status >= 502)
        if (!isTemporary) return end('failed', reasonText(error))
        change({ isLost: true })
      }
      await delay(waitMs, signal)
    }
  }

  function end(status: 'denied' | 'expired' | 'failed', reason: string | null) {
    closeWindow()
    setState({ phase: 'over', status, reason })
  }

  function finish() {
    closeWindow()
    setState({ phase: 'form', problem: null })
    done.current()
  }

  function closeWindow() {
    opened.current?.close()
    hold(null)
  }

  /** Cancels the flow at the service and returns to the start. */
  function cancel() {
    looking.current?.abort()
    closeWindow()
    setState({ phase: 'form', problem: null })
    if (way.cancel !== null) void callOperation(way.cancel, instance, { method: way.method }).catch(() => undefined)
  }

  /** Sends the pasted text to the service; `watch` detects the success. Rejects if the service refuses it. */
  async function paste(text: string): Promise<void> {
    if (way.paste != null) await callOperation(way.paste, instance, { [way.paste.body[0] ?? '']: text })
  }

  /** Opens the page again; false if the browser blocks the window. */
  function open(url: string): boolean {
    hold(openWindow(url))
    isBlank.current = false
    if (opened.current !== null) change({ isBlocked: false, isClosed: false })
    return opened.current !== null
  }

  return { state, start, cancel, finish, open, paste }
}

function toMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener(
    'abort',
    () => {
      clearTimeout(timer)
      resolve()
    },
    { once: true },
  )
  return promise
}
