// Repeats an attempt in each frame until it has lasted, because a page changes for a while after it is shown. As soon as the
// person scrolls or types, the position is theirs and it ends.
const BY_HAND = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

interface Limits {
  /** Frames in a row for which the attempt has to succeed. */
  readonly frames: number
  readonly longestMs: number
  readonly onEnd?: () => void
}

/** @returns the end of it, which may be called several times */
export function untilSettled(attempt: () => boolean, { frames, longestMs, onEnd }: Limits): () => void {
  const until = performance.now() + longestMs
  const listening = new AbortController()
  const { signal } = listening
  let lasted = 0
  let frame = 0
  signal.addEventListener('abort', () => {
    cancelAnimationFrame(frame)
    onEnd?.()
  })
  const end = () => listening.abort()
  const next = () => {
    lasted = attempt() ? lasted + 1 : 0
    if (lasted < frames && performance.now() < until) frame = requestAnimationFrame(next)
    else end()
  }
  for (const type of BY_HAND) addEventListener(type, end, { capture: true, passive: true, signal })
  next()
  return end
}
