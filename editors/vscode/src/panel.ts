/**
 * The panel of a run: result, plot and times beside the program.
 *
 * A webview that may do nothing: no network, no inline script or style; it loads one script and one
 * style sheet of this extension and gets plain data. What it says is checked (`shown.ts`).
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

import { fromPanel, type FromPanel, type Shown } from './shown';

const VIEW_TYPE = 'lift.run';

export interface PanelActions {
    /** Runs a kernel again on the same values, or asks for others. */
    run(shown: Shown, others: boolean): void;
    /** Shows the whole result as text. */
    text(shown: Shown): void;
}

export class Panels implements vscode.Disposable {
    private readonly open = new Map<string, { panel: vscode.WebviewPanel; shown: Shown }>();
    private readonly restoring: vscode.Disposable;

    constructor(
        private readonly extension: vscode.Uri,
        private readonly actions: PanelActions,
    ) {
        this.restoring = vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
            deserializeWebviewPanel: async (panel, state: unknown) => {
                const shown = state as Shown | undefined;
                if (typeof shown?.kernel === 'string') this.fill(panel, shown);
                else panel.dispose();
            },
        });
    }

    /** Shows a run in the panel of its kernel, beside the program; the program keeps the focus. */
    show(shown: Shown, column: vscode.ViewColumn): void {
        const known = this.open.get(keyOf(shown));
        if (known !== undefined) {
            known.shown = shown;
            known.panel.reveal(undefined, true);
            void known.panel.webview.postMessage(shown);
            return;
        }
        const panel = vscode.window.createWebviewPanel(
            VIEW_TYPE,
            `${shown.kernel}: run`,
            { viewColumn: column, preserveFocus: true },
            {},
        );
        this.fill(panel, shown);
    }

    dispose(): void {
        this.restoring.dispose();
        this.open.forEach(({ panel }) => void panel.dispose());
    }

    private fill(panel: vscode.WebviewPanel, shown: Shown): void {
        const key = keyOf(shown);
        this.open.get(key)?.panel.dispose();
        this.open.set(key, { panel, shown });
        panel.onDidDispose(() => {
            if (this.open.get(key)?.panel === panel) this.open.delete(key);
        });
        panel.webview.onDidReceiveMessage((message: unknown) => {
            const said = fromPanel(message);
            const entry = this.open.get(key);
            if (said !== undefined && entry?.panel === panel) this.hear(said, panel, entry.shown);
        });
        const out = vscode.Uri.joinPath(this.extension, 'out');
        const media = vscode.Uri.joinPath(this.extension, 'media');
        panel.webview.options = { enableScripts: true, localResourceRoots: [out, media] };
        panel.iconPath = vscode.Uri.joinPath(this.extension, 'images', 'lift.png');
        panel.webview.html = page(panel.webview, out, media);
    }

    private hear(said: FromPanel, panel: vscode.WebviewPanel, shown: Shown): void {
        switch (said.type) {
            case 'ready':
                void panel.webview.postMessage(shown);
                break;
            case 'again':
            case 'others':
                this.actions.run(shown, said.type === 'others');
                break;
            case 'text':
                this.actions.text(shown);
                break;
            case 'go':
                void go(shown, said.entry);
                break;
        }
    }
}

function keyOf({ source, kernel }: Shown): string {
    return `${source}#${kernel}`;
}

/** Moves the cursor to the line that caused a launch. */
async function go(shown: Shown, entry: number): Promise<void> {
    const place = shown.profile[entry]?.place;
    if (place === undefined) return;
    const source = vscode.Uri.parse(shown.source, true);
    const uri = source.scheme === 'file' ? vscode.Uri.file(place.file) : source;
    const open = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
    const { start, end } = place.range;
    await vscode.window.showTextDocument(uri, {
        ...(open?.viewColumn !== undefined && { viewColumn: open.viewColumn }),
        selection: new vscode.Range(start.line, start.character, end.line, end.character),
    });
}

/** The HTML of a webview that runs one script. */
export function page(webview: vscode.Webview, out: vscode.Uri, media: vscode.Uri, name = 'panel.js'): string {
    const nonce = randomBytes(16).toString('hex');
    const script = webview.asWebviewUri(vscode.Uri.joinPath(out, name));
    const style = webview.asWebviewUri(vscode.Uri.joinPath(media, 'panel.css'));
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${style}">
<title>Run</title>
</head>
<body>
<main id="run"></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
