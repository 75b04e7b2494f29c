import type { Take } from './body.ts'

/** Bytes of a piece that is worth passing on by itself. */
const SMALL = 1_024

/** Bytes that small pieces are put together to. A guess: what zlib gives at a time. */
const GATHERED = 16 * 1024

/**
 * Puts small pieces together: a body may come in chunks of one byte, and whoever keeps some of them for a while would
 * spend a hundred bytes on each.
 */
export class Gatherer {
  readonly #take: Take
  #held: Buffer | undefined
  /** What {@link #held} is the beginning of, once it is no longer the piece that came. */
  #room: Buffer | undefined

  /** @param take is given the pieces, one at most for each that comes */
  constructor(take: Take) {
    this.#take = take
  }

  add(piece: Buffer): ReturnType<Take> {
    const held = this.#held
    if (!held) {
      if (piece.length >= SMALL) return this.#take(piece)
      this.#held = piece
      return undefined
    }
    if (held.length + piece.length <= GATHERED) {
      this.#append(held, piece)
      return undefined
    }
    this.#held = piece
    this.#room = undefined
    return this.#take(held)
  }

  /** Passes on what is held. */
  end(): ReturnType<Take> {
    const held = this.#held
    this.#held = undefined
    return held && this.#take(held)
  }

  #append(held: Buffer, piece: Buffer) {
    if (!this.#room) {
      this.#room = Buffer.allocUnsafeSlow(GATHERED)
      held.copy(this.#room)
    }
    piece.copy(this.#room, held.length)
    this.#held = this.#room.subarray(0, held.length + piece.length)
  }
}
