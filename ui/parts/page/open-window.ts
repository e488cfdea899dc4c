// Windows for the pages of services. Their opener is an empty frame of this page: a service can neither read nor navigate this
// page, as it could with a usual opener, while this page can close the window, as it could not without one.

// A press counts for the frames that are there before it.
let opener = addFrame()

/** Null if the browser blocks it. Call it in the handler of a press. */
export function openWindow(url: string, features: string): Window | null {
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
