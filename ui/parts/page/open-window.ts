// Windows for the pages of services. Their opener is an empty frame of this page: a service can neither read nor navigate this
// page, as it could with a usual opener, while this page can close the window, as it could not without one.

import { useEffect } from 'react'

let opener: HTMLIFrameElement | undefined

/** Call it where a press opens a window: the press counts only for frames that are there before it. */
export function useOpener(): void {
  useEffect(() => {
    opener ??= addFrame()
  }, [])
}

/** Null if the browser blocks it. Call it in the handler of a press, with `useOpener` in the component of the button. */
export function openWindow(url: string, features: string): Window | null {
  opener ??= addFrame()
  try {
    return opener.contentWindow?.open(url, '_blank', features) ?? null
  } catch {
    // The last service navigated the frame.
    opener.remove()
    opener = addFrame()
    return opener.contentWindow?.open(url, '_blank', features) ?? null
  }
}

function addFrame(): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  // Without "allow-top-navigation": a page in the frame cannot leave it.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox')
  frame.hidden = true
  document.body.append(frame)
  return frame
}
