import type { HttpRequest, HttpResponse } from '../ports/http.ts';
import type { TextSocket } from '../ports/speech.ts';

/** Where carriers reach us: everything below `/carriers/{carrier}/`. */
export interface CarrierIngress {
  /** Verifies, applies and answers one webhook. 403 when it is not genuine, 404 for an unknown carrier. */
  webhook(carrier: string, path: string, request: HttpRequest): Promise<HttpResponse>;
  /** Verifies a WebSocket upgrade. @returns what to do with the accepted socket, or the refusal */
  upgrade(
    carrier: string,
    path: string,
    request: HttpRequest,
  ): Promise<{ readonly accept: (socket: TextSocket) => void } | { readonly refuse: HttpResponse }>;
}
