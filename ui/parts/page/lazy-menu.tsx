// A button whose menu is loaded when it is about to be used.
import { ActionIcon, type ActionIconProps } from '@mantine/core'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'

interface LazyMenuProps extends ActionIconProps {
  readonly name: string
  readonly icon: ReactNode
  readonly load: () => Promise<unknown>
  /** The menu with a button of its own; `useOpenMenu` opens it. */
  readonly children: ReactNode
}

export function LazyMenu({ name, icon, load, children, ...look }: LazyMenuProps) {
  const [isUsed, setUsed] = useState(false)
  const button = (
    <ActionIcon
      {...look}
      aria-label={name}
      aria-haspopup="menu"
      aria-expanded={false}
      onMouseEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setUsed(true)}
    >
      {icon}
    </ActionIcon>
  )
  return isUsed ? <Suspense fallback={button}>{children}</Suspense> : button
}

/** Open after its button has the focus, so that the focus returns to it on close. */
export function useOpenMenu() {
  const target = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    target.current?.focus({ preventScroll: true })
    setOpened(true)
  }, [])
  return { target, opened, setOpened }
}
