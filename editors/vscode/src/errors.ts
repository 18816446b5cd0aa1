/** Shows errors of the server to the user. */
import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';

/** Whether an error means that the request was cancelled, by the user or by shutting down. */
export function isCancellation(error: unknown): boolean {
    return (
        error instanceof vscode.CancellationError ||
        (error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled)
    );
}

/** The text of a thrown value of any type. */
export function messageOf(error: unknown): string {
    if (error instanceof ResponseError && error.code === LSPErrorCodes.ContentModified) {
        return 'The program changed meanwhile. Run the command again.';
    }
    return error instanceof Error ? error.message : String(error);
}

/** A reason that the server gives with an error, as `lift check --format json` prints it. */
interface Reason {
    file: string;
    message: string;
    range: { start: { line: number; character: number } };
}

/** The reasons that came with an error, one a line: where, and what. */
export function reasonsOf(error: unknown): string[] {
    const data: unknown = error instanceof ResponseError ? error.data : undefined;
    const reasons = (data as { diagnostics?: unknown } | undefined)?.diagnostics;
    if (!Array.isArray(reasons)) return [];
    return reasons.filter(isReason).map(({ file, range: { start }, message }) => {
        return `${file}:${start.line + 1}:${start.character + 1}: ${message}`;
    });
}

function isReason(value: unknown): value is Reason {
    const reason = value as Partial<Reason> | null;
    return typeof reason?.message === 'string' && reason.range?.start !== undefined;
}

/** Shows the first line in a notification and the whole in the output. Silent for a cancellation. */
export function explain(output: vscode.LogOutputChannel, what: string, error: unknown): void {
    if (isCancellation(error)) return;
    const message = messageOf(error);
    const reasons = reasonsOf(error);
    output.error([`${what}: ${message}`, ...reasons].join('\n  '));
    const [first = '', ...rest] = message.trim().split('\n');
    const more = rest.length > 0 || reasons.length > 0 ? ['Show Output'] : [];
    void vscode.window.showErrorMessage(`${what}: ${first}`, ...more).then((chosen) => {
        if (chosen !== undefined) output.show();
    });
}
