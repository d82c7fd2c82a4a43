// A page for about 1 ms of CPU time: node page.js PORT [MORE], MORE percent more work.
"use strict";

const crypto = require("node:crypto");
const http = require("node:http");

const ROUNDS = 260;
const rounds = Math.round(ROUNDS * (1 + Number(process.argv[3] ?? 0) / 100));

http.createServer((_, response) => {
    let block = Buffer.alloc(1024);
    for (let round = 0; round < rounds; round++) {
        block = Buffer.concat([crypto.createHash("sha256").update(block).digest(), block]).subarray(0, 1024);
    }
    const body = `<html><body><h1>${block.length}</h1></body></html>`;
    response.writeHead(200, { "Content-Type": "text/html", "Content-Length": body.length });
    response.end(body);
}).listen(Number(process.argv[2]), "127.0.0.1");
