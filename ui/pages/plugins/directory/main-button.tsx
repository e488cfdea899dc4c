// The one button of a plugin of the directory.
import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { directory as texts } from '../../../texts/en/directory.ts'
import { say } from '../../../texts/say.ts'
import type { Listing } from './data.ts'
import { useInstall } from './use-install.tsx'

interface MainButtonProps {
  readonly listing: Listing
  readonly size?: 'xs' | 'sm'
  /** On the page of the plugin itself there is nothing to open. */
  readonly isOpened?: boolean
}

export function MainButton({ listing, size = 'sm', isOpened = false }: MainButtonProps) {
  const { id, name, state, newest, version, staged } = listing
  const install = useInstall(listing)
  const press = (label: string, title: string) => (
    <>
      <Button size={size} aria-label={title} loading={install.isPending} onClick={() => install.start()}>
        {label}
      </Button>
      {install.dialog}
    </>
  )
  const next = newest?.version ?? ''
  if (staged !== null || state === 'unlisted') return press(texts.review, say(texts.reviewName, { name }))
  if (state === 'available') return press(texts.install, say(texts.installName, { name }))
  if (state === 'update' || (state === 'withdrawn' && newest !== null && next !== version))
    return press(say(texts.update, { version: next }), say(texts.updateName, { name, version: next }))
  if (state === 'unsupported' || isOpened) return null
  return (
    <Button
      component={Link}
      href={`/plugins/${encodeURIComponent(id)}`}
      variant="default"
      size={size}
      aria-label={say(texts.openName, { name })}
    >
      {texts.openPlugin}
    </Button>
  )
}
