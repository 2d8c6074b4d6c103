import { describe, expect, test } from 'vitest'
import { LiveList } from './live-list.ts'

describe('a live list', () => {
  test('holds what was added until it is released, whichever goes first', () => {
    const list = new LiveList<string>()
    const releases = ['a', 'b', 'c', 'd'].map((name) => list.add(name))
    releases[1]?.()
    expect([...list].toSorted()).toEqual(['a', 'c', 'd'])
    releases[3]?.()
    releases[0]?.()
    expect([[...list], list.size]).toEqual([['c'], 1])
    releases[2]?.()
    expect([[...list], list.size]).toEqual([[], 0])
  })

  test('releases each once: a second time takes nothing of anybody else', () => {
    const list = new LiveList<string>()
    const release = list.add('a')
    release()
    list.add('b')
    release()
    expect([...list]).toEqual(['b'])
  })

  test('is read as it was when the reading began, though members go meanwhile', () => {
    const list = new LiveList<() => void>()
    const seen: number[] = []
    for (const at of [0, 1, 2]) {
      const release = list.add(() => (seen.push(at), release()))
    }
    for (const tell of list) tell()
    expect([seen, list.size]).toEqual([[0, 1, 2], 0])
  })
})
