#ifndef ANNEX_CURL_H
#define ANNEX_CURL_H

// Without this, curl's own checks of types would need the name of each option where it is set.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift cannot call functions with a variable number of arguments, such as those that set libcurl's options. Each of
// these functions sets options of one type of value.

CURLcode annex_curl_set_number(CURL *easy, CURLoption option, long number);
CURLcode annex_curl_set_size(CURL *easy, CURLoption option, curl_off_t size);
// libcurl copies the text.
CURLcode annex_curl_set_text(CURL *easy, CURLoption option, const char *text);
// libcurl keeps the list, which must live as long as the handle.
CURLcode annex_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *list);
CURLcode annex_curl_set_form(CURL *easy, curl_mime *form);
CURLMcode annex_curl_set_limit(CURLM *multi, CURLMoption option, long number);

// The functions that libcurl calls for one handle, all with the same context. `read` and `seek` serve a body of one file.
struct annex_curl_calls {
    void *context;
    curl_write_callback body;
    curl_write_callback header;
    curl_read_callback read;
    curl_seek_callback seek;
    curl_xferinfo_callback progress;
};
CURLcode annex_curl_set_calls(CURL *easy, const struct annex_curl_calls *calls);

// The numbers of a finished exchange.
struct annex_curl_times {
    // The errno of the last system call that failed.
    long error;
    // Microseconds until the connection was ready for the request, 0 if it never was.
    curl_off_t ready;
    // Microseconds in all.
    curl_off_t total;
};
struct annex_curl_times annex_curl_times(CURL *easy);

#endif
