// A promise with a limit. The timer is always cleared: a forgotten one would keep a whole generation in memory.

/**
 * A machine that stands still for a while takes one slice, however long that was: only time that the work could use
 * counts.
 */
const SLICES = 20

export async function withTimeLimit<Result>(
  work: Promise<Result>,
  limitMs: number,
  onLimit: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    let left = SLICES
    const next = () => {
      timer = setTimeout(() => {
        left -= 1
        if (left === 0) reject(onLimit())
        else next()
      }, limitMs / SLICES)
    }
    next()
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
